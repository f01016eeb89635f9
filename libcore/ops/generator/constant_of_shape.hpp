// ConstantOfShape: a tensor of a given shape filled with one value.
// https://onnx.ai/onnx/operators/onnx__ConstantOfShape.html
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/value_or.hpp"

namespace ortool {

struct ConstantOfShape {
  static const OpSchema schema;

  ValueOrInput<std::vector<std::int64_t>> shape;
  Tensor value;  ///< one element

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
