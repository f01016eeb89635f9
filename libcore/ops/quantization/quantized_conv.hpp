// ortool.QuantizedConv: a convolution of bytes that stand for floats, as bytes. It is QLinearConv
// with the floats of the bias, so that numbers near a half can be rounded as the float form rounds.
// The session makes such nodes; no file holds them.
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
