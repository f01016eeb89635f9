// Concat: concatenates tensors along an axis.
// https://onnx.ai/onnx/operators/onnx__Concat.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct Concat {
  static const OpSchema schema;

  std::int64_t axis = 1;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
