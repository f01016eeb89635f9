// NegativeLogLikelihoodLoss: the negated log-probabilities of the labels.
// https://onnx.ai/onnx/operators/onnx__NegativeLogLikelihoodLoss.html
#pragma once

#include "libcore/ops/loss/class_loss.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct NegativeLogLikelihoodLoss : ClassLoss {
  static const OpSchema schema;

  void infer(InferContext& context) const;
};

}  // namespace ortool
