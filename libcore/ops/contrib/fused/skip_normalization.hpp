// com.microsoft.SkipLayerNormalization and SkipSimplifiedLayerNormalization: normalizations of a
// residual sum.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// sum = input + skip (+ bias), output = LayerNormalization(sum, gamma, beta) along the last axis.
/// Inputs: input, skip (which broadcasts to it), gamma, beta and bias; outputs: output, the mean,
/// the inverse standard deviation, and sum.
struct ContribSkipLayerNormalization {
  static const OpSchema schema;

  float epsilon = 1e-12F;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// The same with RMSNormalization, which has no beta: the inputs are input, skip, gamma and bias.
struct SkipSimplifiedLayerNormalization : ContribSkipLayerNormalization {
  static const OpSchema schema;
};

}  // namespace ortool
