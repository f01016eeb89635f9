// MelWeightMatrix: weights that map spectrum bins to bands of the mel scale.
// https://onnx.ai/onnx/operators/onnx__MelWeightMatrix.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct MelWeightMatrix {
  static const OpSchema schema;

  DataType element = DataType::float32;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
