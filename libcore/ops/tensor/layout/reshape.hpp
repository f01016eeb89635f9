// Reshape: the same elements in another shape.
// https://onnx.ai/onnx/operators/onnx__Reshape.html
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/value_or.hpp"

namespace ortool {

struct Reshape {
  static const OpSchema schema;

  ValueOrInput<std::vector<std::int64_t>> shape;
  bool zero_is_zero = false;  ///< a 0 in `shape` means 0 instead of the input's dimension

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
