// Binarizer: 1 above a threshold, 0 elsewhere.
// https://onnx.ai/onnx/operators/onnx_aionnxml_Binarizer.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct Binarizer {
  static const OpSchema schema;
  float threshold = 0;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
