// Pow: elementwise power with broadcasting; the exponent may have another type.
// https://onnx.ai/onnx/operators/onnx__Pow.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/legacy_broadcast.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct Pow {
  static const OpSchema schema;

  LegacyBroadcast broadcast;

  void read(AttributeReader& attributes, int) { broadcast.read(attributes); }
  void infer(InferContext& context) const {
    context.set_output(0, context.element(0), broadcast.result_shape(context));
  }
};

}  // namespace ortool
