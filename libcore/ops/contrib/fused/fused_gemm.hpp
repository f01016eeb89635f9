// com.microsoft.FusedGemm: Gemm with an activation.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include "libcore/ops/contrib/fused/fused_activation.hpp"
#include "libcore/ops/math/gemm.hpp"

namespace ortool {

/// activation(alpha * A * B + beta * C).
struct FusedGemm : Gemm {
  static const OpSchema schema;

  FusedActivation activation;

  void read(AttributeReader& attributes, int version);
};

}  // namespace ortool
