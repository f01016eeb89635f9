// DynamicSlice, removed in ONNX 1.5: Slice of opset 10 without steps.
// https://github.com/onnx/onnx/blob/v1.4.1/docs/Operators.md
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/tensor/slice.hpp"

namespace ortool {

struct DynamicSlice : Slice {
  static const OpSchema schema;
};

}  // namespace ortool
