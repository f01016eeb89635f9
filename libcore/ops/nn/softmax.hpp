// Softmax, LogSoftmax and Hardmax: what is made of each slice along an axis.
// https://onnx.ai/onnx/operators/onnx__Softmax.html, …__LogSoftmax.html, …__Hardmax.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// What the three have in common: the slices, and an output like the input.
struct SliceOp {
  /// Before it the input was seen as a matrix, cut at `axis`.
  static constexpr std::int64_t opset_of_one_axis = 13;

  std::int64_t axis = -1;
  bool flatten = false;  ///< before opset_of_one_axis

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Exponentials of a slice, scaled to sum to one.
struct Softmax : SliceOp {
  static const OpSchema schema;
};

/// Logarithms of Softmax.
struct LogSoftmax : SliceOp {
  static const OpSchema schema;
};

/// 1 at the first largest element of a slice, 0 elsewhere.
struct Hardmax : SliceOp {
  static const OpSchema schema;
};

}  // namespace ortool
