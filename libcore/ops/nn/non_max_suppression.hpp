// NonMaxSuppression: the best boxes of each class that do not overlap better ones too much.
// https://onnx.ai/onnx/operators/onnx__NonMaxSuppression.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct NonMaxSuppression {
  static const OpSchema schema;

  bool center_point_box = false;  ///< boxes as centre and size instead of two corners

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
