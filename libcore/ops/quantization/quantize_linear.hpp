// QuantizeLinear: saturate(round_half_to_even(x / scale) + zero point).
// https://onnx.ai/onnx/operators/onnx__QuantizeLinear.html
#pragma once

#include <optional>

#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/quantization/granularity.hpp"

namespace ortool {

struct QuantizeLinear {
  static const OpSchema schema;

  Granularity granularity;
  bool saturate = true;               ///< for float8: clamps to the largest finite value
  std::optional<DataType> element;    ///< absent: the zero point's, or else uint8
  std::optional<DataType> precision;  ///< type of the division; absent: the scale's

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
