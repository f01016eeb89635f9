// DequantizeLinear: (x - zero point) * scale.
// https://onnx.ai/onnx/operators/onnx__DequantizeLinear.html
#pragma once

#include <optional>

#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/quantization/granularity.hpp"

namespace ortool {

struct DequantizeLinear {
  static const OpSchema schema;

  Granularity granularity;
  std::optional<DataType> element;  ///< absent: the scale's type

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
