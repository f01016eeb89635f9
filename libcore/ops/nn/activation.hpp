// Activation functions, applied elementwise.
// https://onnx.ai/onnx/operators/onnx__Relu.html and likewise for the others
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// An operator whose output has the type and shape of its input.
struct ElementwiseOp {
  void infer(InferContext& context) const;
};

/// max(x, 0).
struct Relu : ElementwiseOp {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// x, or alpha x for x below 0.
struct LeakyRelu : ElementwiseOp {
  static const OpSchema schema;
  float alpha = 0.01F;
  void read(AttributeReader& attributes, int version);
};

/// x, or alpha (e^x - 1) for x below 0.
struct Elu : ElementwiseOp {
  static const OpSchema schema;
  float alpha = 1.0F;
  void read(AttributeReader& attributes, int version);
};

/// gamma x for x above 0, gamma alpha (e^x - 1) elsewhere.
struct Selu : ElementwiseOp {
  static const OpSchema schema;
  float alpha = 1.67326319F;
  float gamma = 1.05070102F;
  void read(AttributeReader& attributes, int version);
};

/// max(0, x) + min(0, alpha (e^(x / alpha) - 1)).
struct Celu : ElementwiseOp {
  static const OpSchema schema;
  float alpha = 1.0F;
  void read(AttributeReader& attributes, int version);
};

/// x for x above alpha, else 0.
struct ThresholdedRelu : ElementwiseOp {
  static const OpSchema schema;
  float alpha = 1.0F;
  void read(AttributeReader& attributes, int version);
};

/// alpha x + beta, clamped to [0, 1].
struct HardSigmoid : ElementwiseOp {
  static const OpSchema schema;
  float alpha = 0.2F;
  float beta = 0.5F;
  void read(AttributeReader& attributes, int version);
};

/// x * clamp(x / 6 + 1/2, 0, 1).
struct HardSwish : ElementwiseOp {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
};

/// x + bias for x below -lambd, x - bias for x above lambd, else 0.
struct Shrink : ElementwiseOp {
  static const OpSchema schema;
  float bias = 0.0F;
  float lambd = 0.5F;
  void read(AttributeReader& attributes, int version);
};

/// 1 / (1 + e^-x).
struct Sigmoid : ElementwiseOp {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
};

/// the hyperbolic tangent.
struct Tanh : ElementwiseOp {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
};

/// log(1 + e^x).
struct Softplus : ElementwiseOp {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
};

/// x / (1 + |x|).
struct Softsign : ElementwiseOp {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
};

/// x times the standard normal distribution function of x.
struct Gelu : ElementwiseOp {
  static const OpSchema schema;
  bool is_approximate = false;  ///< the tanh approximation
  void read(AttributeReader& attributes, int version);
};

/// x tanh(log(1 + e^x)).
struct Mish : ElementwiseOp {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
};

/// x / (1 + e^(-alpha x)).
struct Swish : ElementwiseOp {
  static const OpSchema schema;
  float alpha = 1.0F;
  void read(AttributeReader& attributes, int version);
};

/// the error function.
struct Erf : ElementwiseOp {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
};

}  // namespace ortool
