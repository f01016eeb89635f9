// com.microsoft.QuantizeLinear and DequantizeLinear: ONNX's, with 4-bit and 16-bit integers before
// ONNX had them.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include "libcore/ops/quantization/dequantize_linear.hpp"
#include "libcore/ops/quantization/quantize_linear.hpp"

namespace ortool {

struct ContribQuantizeLinear : QuantizeLinear {
  static const OpSchema schema;

  void read(AttributeReader& attributes, int version);
};

struct ContribDequantizeLinear : DequantizeLinear {
  static const OpSchema schema;

  void read(AttributeReader& attributes, int version);
};

}  // namespace ortool
