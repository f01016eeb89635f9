// Making sequences of tensors, looking into them and changing them.
// https://onnx.ai/onnx/operators/onnx__SequenceAt.html and likewise for the others
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// A sequence of the inputs.
struct SequenceConstruct {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// A sequence of nothing.
struct SequenceEmpty {
  static const OpSchema schema;
  DataType element = DataType::float32;  ///< of the tensors it may hold
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

// Positions below count from the back when negative.

/// The tensor at a position.
struct SequenceAt {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// The sequence without the tensor at a position, without the last one when none is given.
struct SequenceErase {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// The sequence with a tensor before a position, behind the last one when none is given.
struct SequenceInsert {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// How many tensors there are.
struct SequenceLength {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

}  // namespace ortool
