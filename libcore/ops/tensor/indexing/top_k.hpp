// TopK: the largest or smallest elements along an axis, and their indices.
// https://onnx.ai/onnx/operators/onnx__TopK.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/value_or.hpp"

namespace ortool {

struct TopK {
  static const OpSchema schema;

  ValueOrInput<std::int64_t> k;
  std::int64_t axis = -1;
  bool largest = true;
  bool sorted = true;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
