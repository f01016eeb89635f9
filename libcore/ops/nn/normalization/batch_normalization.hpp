// BatchNormalization: shifts and scales each channel by statistics collected in training.
// https://onnx.ai/onnx/operators/onnx__BatchNormalization.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct BatchNormalization {
  static const OpSchema schema;

  float epsilon = 1e-5F;
  float momentum = 0.9F;       ///< training: running = input · momentum + batch · (1 - momentum)
  bool is_training = false;    ///< uses the statistics of the batch itself
  bool is_per_channel = true;  ///< false (spatial = 0): parameters have X's shape without N

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
