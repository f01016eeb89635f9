// com.microsoft.GroupNorm, SkipGroupNorm and BiasSplitGelu, which ONNX Runtime's optimizer writes
// into diffusion models.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// GroupNormalization of images in NHWC or NCHW with a gamma and beta for each channel, and SiLU.
struct GroupNorm {
  static const OpSchema schema;

  std::int64_t groups = 1;
  float epsilon = 1e-5F;
  bool channels_last = true;
  bool applies_silu = false;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// GroupNorm of x + skip + bias, and that sum. The skip may be an image, or one number for each
/// image and channel. Inputs: x, gamma, beta, skip and bias.
struct SkipGroupNorm : GroupNorm {
  static const OpSchema schema;

  void infer(InferContext& context) const;
};

/// The left half of x + bias, along the last axis, times Gelu of the right half.
struct BiasSplitGelu {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

}  // namespace ortool
