// MatMulInteger: int8/uint8 matrix product with zero points and int32 output.
// https://onnx.ai/onnx/operators/onnx__MatMulInteger.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct MatMulInteger {
  static const OpSchema schema;

  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

}  // namespace ortool
