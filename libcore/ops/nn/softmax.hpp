// Softmax, LogSoftmax and Hardmax: normalization of slices along an axis.
// https://onnx.ai/onnx/operators/onnx__Softmax.html, …__LogSoftmax.html, …__Hardmax.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Common base: selection of the slices, and an output shaped like the input.
struct SliceOp {
  /// Before this opset, the input was flattened to a matrix at `axis`.
  static constexpr std::int64_t opset_of_one_axis = 13;

  std::int64_t axis = -1;
  bool flatten = false;  ///< before opset_of_one_axis

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// e^x, scaled so that each slice sums to one.
struct Softmax : SliceOp {
  static const OpSchema schema;
};

/// The logarithm of Softmax.
struct LogSoftmax : SliceOp {
  static const OpSchema schema;
};

/// 1 at the first maximum of each slice, 0 elsewhere.
struct Hardmax : SliceOp {
  static const OpSchema schema;
};

}  // namespace ortool
