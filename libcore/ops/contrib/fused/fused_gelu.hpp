// com.microsoft.Gelu, BiasGelu, FastGelu and QuickGelu: Gaussian error linear units.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/nn/activation.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// x / 2 (1 + erf(x / √2)).
struct ContribGelu : ElementwiseOp {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
};

/// Gelu(A + B).
struct BiasGelu {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// Gelu(X + bias) by the approximation with tanh.
struct FastGelu {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// x sigmoid(alpha x).
struct QuickGelu : ElementwiseOp {
  static const OpSchema schema;
  float alpha = 1.702F;
  void read(AttributeReader& attributes, int version);
};

}  // namespace ortool
