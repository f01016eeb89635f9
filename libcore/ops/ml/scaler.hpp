// Scaler: (x - offset) * scale, with one pair of parameters for each feature or for all.
// https://onnx.ai/onnx/operators/onnx_aionnxml_Scaler.html
#pragma once

#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct Scaler {
  static const OpSchema schema;

  std::vector<float> offset;
  std::vector<float> scale;  ///< same length

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
