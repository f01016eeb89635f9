// DynamicQuantizeLinear: quantizes to uint8 with a scale and zero point computed from the range.
// https://onnx.ai/onnx/operators/onnx__DynamicQuantizeLinear.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct DynamicQuantizeLinear {
  static const OpSchema schema;

  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

}  // namespace ortool
