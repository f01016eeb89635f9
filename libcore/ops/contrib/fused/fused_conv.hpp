// com.microsoft.FusedConv: convolution, residual addition and activation in one operator.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include "libcore/ops/contrib/fused/fused_activation.hpp"
#include "libcore/ops/nn/conv/conv.hpp"

namespace ortool {

/// activation(Conv(X, W, B) + Z), where Z has the shape of the convolution.
struct FusedConv : Conv {
  static const OpSchema schema;

  FusedActivation activation;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
