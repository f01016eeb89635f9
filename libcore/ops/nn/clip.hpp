// Clip: limits elements to a range.
// https://onnx.ai/onnx/operators/onnx__Clip.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/value_or.hpp"

namespace ortool {

struct Clip {
  static const OpSchema schema;

  /// There is no bound when neither a value nor an input is given. A constant input is stored as a
  /// value only if it is float32.
  ValueOrInput<float> low;
  ValueOrInput<float> high;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
