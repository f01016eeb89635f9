// com.microsoft.QLinearSoftmax: Softmax of quantized elements, as of a given opset.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include "libcore/ops/nn/softmax.hpp"

namespace ortool {

/// Inputs: an operand with scale and zero point, and those of the result.
struct QLinearSoftmax : SliceOp {
  static const OpSchema schema;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
