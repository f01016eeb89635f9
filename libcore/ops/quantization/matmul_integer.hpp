// MatMulInteger: a product of matrices of bytes, each less its zero point, summed as int32.
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
