// GroupNormalization: normalizes groups of channels to mean 0 and variance 1, then scales.
// https://onnx.ai/onnx/operators/onnx__GroupNormalization.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct GroupNormalization {
  static const OpSchema schema;
  /// Before this opset, scale and bias had one element for each group.
  static constexpr std::int64_t opset_of_channel_scales = 21;

  float epsilon = 1e-5F;
  std::int64_t groups = 1;
  bool scales_groups = false;  ///< version 18: scale and bias have one element for each group

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
