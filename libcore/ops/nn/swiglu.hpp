// SwiGLU: one input times Swish of the other.
// https://onnx.ai/onnx/operators/onnx__SwiGLU.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct SwiGLU {
  static const OpSchema schema;

  float alpha = 1;  ///< within the sigmoid

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
