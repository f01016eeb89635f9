// com.microsoft.QGemm, MatMulIntegerToFloat, DynamicQuantizeMatMul and MatMulInteger16: products of
// quantized matrices.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs: A and B with scale and zero point, an int32 C, and the result's scale and zero point, or
/// none for a float result.
struct QGemm {
  static const OpSchema schema;

  float alpha = 1.0F;
  bool transpose_a = false;
  bool transpose_b = false;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Inputs: A, B, their scales, their zero points and a bias.
struct MatMulIntegerToFloat {
  static const OpSchema schema;

  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// Inputs: a float A, which is quantized as DynamicQuantizeLinear does; B, its scale, its zero
/// point and a bias.
struct DynamicQuantizeMatMul {
  static const OpSchema schema;

  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// A product of 16-bit integers in 32 bits.
struct MatMulInteger16 {
  static const OpSchema schema;

  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

}  // namespace ortool
