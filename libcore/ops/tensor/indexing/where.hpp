// Where: selects elements of one tensor or another by a condition.
// https://onnx.ai/onnx/operators/onnx__Where.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct Where {
  static const OpSchema schema;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
