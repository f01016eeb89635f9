// com.microsoft.QLinearConv: ONNX's, also for images with their channels last.
// https://github.com/microsoft/onnxruntime/blob/main/docs/OperatorKernels.md
#pragma once

#include "libcore/ops/quantization/qlinear_conv.hpp"

namespace ortool {

struct ContribQLinearConv : QLinearConv {
  static const OpSchema schema;

  bool channels_last = false;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
