// ortool.QuantizedConv: convolution with 8-bit quantized inputs and output. Unlike QLinearConv it
// has a float bias, so that rounding ties can be resolved as in float arithmetic. Created by
// sessions; never stored in files.
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/window_rules.hpp"

namespace ortool {

struct QuantizedConv {
  static const OpSchema schema;

  WindowAttributes window;
  std::int64_t groups = 1;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
