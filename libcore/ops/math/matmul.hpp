// MatMul: products of the matrices in the last two axes, the axes before broadcast as numpy does.
// https://onnx.ai/onnx/operators/onnx__MatMul.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct MatMul {
  static const OpSchema schema;

  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

}  // namespace ortool
