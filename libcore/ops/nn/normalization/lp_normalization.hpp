// LpNormalization: divides slices along an axis by their norm.
// https://onnx.ai/onnx/operators/onnx__LpNormalization.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct LpNormalization {
  static const OpSchema schema;

  std::int64_t axis = -1;
  std::int64_t p = 2;  ///< 1: sum of absolute values, 2: root of the sum of squares

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
