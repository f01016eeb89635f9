// PRelu: scales negative elements by learned slopes.
// https://onnx.ai/onnx/operators/onnx__PRelu.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct PRelu {
  static const OpSchema schema;

  /// Before version 7, a vector of slopes applied to axis 1; since then, slopes are broadcast.
  bool slopes_are_channels = false;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
