// Adagrad, Adam and Momentum: one optimizer step for several tensors.
// https://onnx.ai/onnx/operators/onnx_aionnxpreviewtraining_Adam.html and likewise for the others
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs: the learning rate R, the update count T, then for all tensors their values, gradients
/// and each of their running sums. Outputs: the new values, then each of the new sums.
struct OptimizerStep {
  std::int64_t tensor_count = 0;
  std::int64_t sum_count = 1;  ///< number of running sums of each tensor

  void infer(InferContext& context) const;
};

/// g = norm_coefficient x + gradient; h += g^2; x -= R / (1 + T decay_factor) g / (sqrt(h) +
/// epsilon).
struct Adagrad : OptimizerStep {
  static const OpSchema schema;
  float decay_factor = 0;
  float epsilon = 1e-6F;
  float norm_coefficient = 0;
  void read(AttributeReader& attributes, int version);
};

/// g as above; v = alpha v + (1 - alpha) g; h = beta h + (1 - beta) g^2; x -= r v / (sqrt(h) +
/// epsilon), then scaled by 1 - norm_coefficient_post; r = R sqrt(1 - beta^T) / (1 - alpha^T), or R
/// when T is 0.
struct Adam : OptimizerStep {
  static const OpSchema schema;
  float alpha = 0.9F;
  float beta = 0.999F;
  float epsilon = 1e-6F;
  float norm_coefficient = 0;
  float norm_coefficient_post = 0;
  void read(AttributeReader& attributes, int version);
};

/// g as above; v = alpha v + b g, where b is 1 if T is 0 and beta otherwise; x -= R v, or with
/// Nesterov momentum x -= R (g + alpha v).
struct Momentum : OptimizerStep {
  static const OpSchema schema;
  float alpha = 0;
  float beta = 0;
  float norm_coefficient = 0;
  bool is_nesterov = false;
  void read(AttributeReader& attributes, int version);
};

}  // namespace ortool
