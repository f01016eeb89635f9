// QuantizeLinear: x / scale, rounded half to even, plus the zero point, kept within the type.
// https://onnx.ai/onnx/operators/onnx__QuantizeLinear.html
#pragma once

#include <optional>

#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/quantization/granularity.hpp"

namespace ortool {

struct QuantizeLinear {
  static const OpSchema schema;

  Granularity granularity;
  bool saturate = true;               ///< to 8-bit floats: too big becomes the biggest
  std::optional<DataType> element;    ///< nothing: the zero point's, or else uint8
  std::optional<DataType> precision;  ///< of the division; nothing: the scale's

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
