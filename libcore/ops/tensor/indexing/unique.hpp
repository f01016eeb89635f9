// Unique: the distinct elements of a tensor, or its distinct slices along an axis.
// https://onnx.ai/onnx/operators/onnx__Unique.html
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct Unique {
  static const OpSchema schema;

  std::optional<std::int64_t> axis;  ///< absent: the input is flattened
  bool sorted = true;                ///< otherwise in order of first occurrence

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
