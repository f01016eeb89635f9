// com.microsoft.NhwcConv, NhwcFusedConv and NhwcMaxPool, and Conv of com.ms.internal.nhwc: windows
// over images with the channels last.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include "libcore/ops/contrib/fused/fused_conv.hpp"
#include "libcore/ops/nn/pooling/pool.hpp"

namespace ortool {

/// Conv of N x D1 … x C with weights M x K1 … x C/group, as CUDA's kernel and the optimizer of
/// ONNX Runtime's transformers have them; the text of the operator's schema is that of Conv.
struct NhwcConv : Conv {
  static const OpSchema schema;

  void infer(InferContext& context) const;
};

/// FusedConv of N x D1 … x C with weights M x C/group x K1 …; what is added has channels last too.
struct NhwcFusedConv : FusedConv {
  static const OpSchema schema;

  void infer(InferContext& context) const;
};

/// MaxPool of bytes N x D1 … x C.
struct NhwcMaxPool : MaxPool {
  static const OpSchema schema;

  void infer(InferContext& context) const;
};

/// Conv as layout transformation leaves it for execution providers, with an activation.
struct ProviderNhwcConv : FusedConv {
  static const OpSchema schema;

  void infer(InferContext& context) const;
};

}  // namespace ortool
