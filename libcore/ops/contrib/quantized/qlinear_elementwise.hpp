// com.microsoft.QLinearAdd and others: elementwise operators on quantized operands.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs: two operands and the result, each with scale and zero point (the result without value).
struct QLinearBinary {
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

struct QLinearAdd : QLinearBinary {
  static const OpSchema schema;
};

struct QLinearMul : QLinearBinary {
  static const OpSchema schema;
};

/// Inputs: an operand with scale and zero point, and those of the result.
struct QLinearUnary {
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

struct QLinearSigmoid : QLinearUnary {
  static const OpSchema schema;
};

struct QLinearLeakyRelu : QLinearUnary {
  static const OpSchema schema;

  float alpha = 0.01F;

  void read(AttributeReader& attributes, int version);
};

/// Inputs: a condition, two operands and the result, each of these with scale and zero point.
struct QLinearWhere {
  static const OpSchema schema;

  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

}  // namespace ortool
