// com.microsoft.MaxpoolWithMask and ConvTransposeWithDynamicPads.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/nn/conv/conv_transpose.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/window_rules.hpp"

namespace ortool {

/// The maximum of each window up to the first pixel of a row of it whose mask is 0 (that of the
/// first pixel of the image does not count). The mask repeats along batch and channels.
struct MaxpoolWithMask {
  static const OpSchema schema;

  WindowAttributes window;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// ConvTranspose with pads as an input. Inputs: X, W, pads and B.
struct ConvTransposeWithDynamicPads : ConvTranspose {
  static const OpSchema schema;

  void infer(InferContext& context) const;
};

}  // namespace ortool
