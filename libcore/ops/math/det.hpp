// Det: the determinant of each matrix in the last two axes.
// https://onnx.ai/onnx/operators/onnx__Det.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct Det {
  static const OpSchema schema;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
