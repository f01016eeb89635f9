// ConvInteger: a convolution of bytes, each less its zero point, summed as int32.
// https://onnx.ai/onnx/operators/onnx__ConvInteger.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/window_rules.hpp"

namespace ortool {

struct ConvInteger {
  static const OpSchema schema;

  WindowAttributes window;
  std::int64_t groups = 1;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
