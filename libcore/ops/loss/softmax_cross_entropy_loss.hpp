// SoftmaxCrossEntropyLoss: the negative log-softmax of the scores at the labels.
// https://onnx.ai/onnx/operators/onnx__SoftmaxCrossEntropyLoss.html
#pragma once

#include "libcore/ops/loss/class_loss.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct SoftmaxCrossEntropyLoss : ClassLoss {
  static const OpSchema schema;

  void infer(InferContext& context) const;
};

}  // namespace ortool
