// GroupNormalization: groups of channels set to mean 0 and variance 1, then scaled.
// https://onnx.ai/onnx/operators/onnx__GroupNormalization.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct GroupNormalization {
  static const OpSchema schema;
  /// Before it scale and bias held one number a group.
  static constexpr std::int64_t opset_of_channel_scales = 21;

  float epsilon = 1e-5F;
  std::int64_t groups = 1;
  bool scales_groups = false;  ///< version 18: scale and bias hold one number a group

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
