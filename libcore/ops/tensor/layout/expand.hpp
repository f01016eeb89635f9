// Expand: broadcasts a tensor to a given shape.
// https://onnx.ai/onnx/operators/onnx__Expand.html
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/value_or.hpp"

namespace ortool {

struct Expand {
  static const OpSchema schema;

  ValueOrInput<std::vector<std::int64_t>> shape;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
