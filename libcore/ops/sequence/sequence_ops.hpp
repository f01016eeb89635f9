// Operators on sequences of tensors: construction, access, insertion and removal.
// https://onnx.ai/onnx/operators/onnx__SequenceAt.html and likewise for the others
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// A sequence with the inputs as elements.
struct SequenceConstruct {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// An empty sequence.
struct SequenceEmpty {
  static const OpSchema schema;
  DataType element = DataType::float32;  ///< of the tensors that it may hold
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

// Negative positions below count from the end.

/// The tensor at a position.
struct SequenceAt {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// The sequence without the tensor at the position; by default the last one.
struct SequenceErase {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// The sequence with a tensor inserted at the position; by default at the end.
struct SequenceInsert {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// The number of tensors.
struct SequenceLength {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

}  // namespace ortool
