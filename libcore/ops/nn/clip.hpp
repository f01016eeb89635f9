// Clip: numbers below a bound or above another become the bound.
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

  /// Where neither value nor input is given there is no bound. A constant input is a value here
  /// only when it is float32.
  ValueOr<float> low;
  ValueOr<float> high;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
