// Dropout: zeroes elements at random in training; the identity in inference.
// https://onnx.ai/onnx/operators/onnx__Dropout.html
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/value_or.hpp"

namespace ortool {

struct Dropout {
  static const OpSchema schema;

  ValueOrInput<float> ratio;
  ValueOrInput<bool> is_training;  ///< neither value nor input: inference
  std::optional<std::int64_t> seed;
  bool has_boolean_mask = true;  ///< before version 10 the mask had the input's type

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
