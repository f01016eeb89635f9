// ConvTranspose: transposed convolution, the gradient of Conv with respect to its input.
// https://onnx.ai/onnx/operators/onnx__ConvTranspose.html
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/window_rules.hpp"

namespace ortool {

struct ConvTranspose {
  static const OpSchema schema;

  WindowAttributes window;
  TransposedWindow transposed;
  std::int64_t groups = 1;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;

  /// The window for an input N x C x D1 … and weights C x M/groups x K1 …
  std::vector<WindowAxis> place(const Shape& input, const Shape& weights) const;
};

}  // namespace ortool
