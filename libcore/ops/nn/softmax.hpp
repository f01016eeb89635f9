// Softmax: exponentials of a slice, scaled to sum to one.
// https://onnx.ai/onnx/operators/onnx__Softmax.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct Softmax {
  static const OpSchema schema;

  std::int64_t axis = -1;
  bool flatten = false;  ///< before opset 13 the input was seen as a matrix, cut at `axis`

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
