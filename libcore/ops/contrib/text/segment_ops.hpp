// Operators of ai.onnx.contrib on numbers that stand beside texts: ragged tensors, segments,
// Inverse and NegPos.
// https://github.com/microsoft/onnxruntime-extensions/blob/main/docs/custom_ops.md
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool::extensions {

/// Rows of different lengths as a matrix. Inputs: (not used), values, what fills rows up, and the
/// places at which rows begin and the last one ends.
struct RaggedTensorToDense {
  static const OpSchema schema;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// The same of texts. The places are input 2, and empty texts fill rows up, as
/// onnxruntime-extensions has it (input 3 only has as many elements); or they are input 3, and
/// input 2 is what fills rows up, as converters from TensorFlow write it.
struct StringRaggedTensorToDense {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// The indices [n, 2] of the elements of such rows, and the shape of the matrix [2].
struct RaggedTensorToSparse {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// Sums of the slices of each segment; segments are numbered in ascending order.
struct SegmentSum {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// Begin and end [n, 2] of each run of one number other than 0, and the numbers [n].
struct SegmentExtraction {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// The inverse of a matrix.
struct Inverse {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// The numbers that are not positive, and those that are, with zeros for the others.
struct NegPos {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

}  // namespace ortool::extensions
