// NonMaxSuppression: selects the best boxes of each class, dropping those that overlap a better
// one.
// https://onnx.ai/onnx/operators/onnx__NonMaxSuppression.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct NonMaxSuppression {
  static const OpSchema schema;

  bool center_point_box = false;  ///< boxes are given by center and size instead of two corners

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
