// Flatten: reshapes to a matrix by multiplying the dimensions before and from an axis.
// https://onnx.ai/onnx/operators/onnx__Flatten.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct Flatten {
  static const OpSchema schema;

  std::int64_t axis = 1;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
