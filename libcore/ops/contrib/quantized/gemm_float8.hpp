// com.microsoft.GemmFloat8: Gemm of float8 or wider matrices with scales and an activation.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool {

/// Inputs: A, B, a C to add, and scales of A, B and the result. C counts only if beta is not 0.
struct GemmFloat8 {
  static const OpSchema schema;

  enum class Activation { none, relu, gelu };

  float alpha = 1.0F;
  float beta = 0.0F;
  bool transpose_a = false;
  bool transpose_b = false;
  Activation activation = Activation::none;  ///< gelu is approximated by tanh, as in cuBLASLt
  DataType type = DataType::float32;         ///< of the result

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
