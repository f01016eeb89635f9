// Gemm: alpha * A * B + beta * C.
// https://onnx.ai/onnx/operators/onnx__Gemm.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct Gemm {
  static const OpSchema schema;

  float alpha = 1.0F;
  float beta = 1.0F;
  bool transpose_a = false;
  bool transpose_b = false;
  bool broadcasts_c = true;  ///< false (only before version 7): C has the result's shape

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
