// MeanVarianceNormalization: mean 0 and variance 1 over given axes.
// https://onnx.ai/onnx/operators/onnx__MeanVarianceNormalization.html
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct MeanVarianceNormalization {
  static const OpSchema schema;

  std::vector<std::int64_t> axes = {0, 2, 3};
  bool has_variance = true;  ///< false (only before opset 9): subtracts the mean only

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
