// QLinearMatMul: matrix product with quantized inputs and output.
// https://onnx.ai/onnx/operators/onnx__QLinearMatMul.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct QLinearMatMul {
  static const OpSchema schema;

  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

}  // namespace ortool
