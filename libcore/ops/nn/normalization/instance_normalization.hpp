// InstanceNormalization: normalizes each channel of each image to mean 0 and variance 1, then
// scales.
// https://onnx.ai/onnx/operators/onnx__InstanceNormalization.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct InstanceNormalization {
  static const OpSchema schema;

  float epsilon = 1e-5F;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
