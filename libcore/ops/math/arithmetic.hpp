// Add, Sub, Mul, Div: two tensors combined element by element.
// https://onnx.ai/onnx/operators/onnx__Add.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/legacy_broadcast.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

/// What the four share.
template <DimensionOp on_shapes>
struct Arithmetic {
  LegacyBroadcast broadcast;

  void read(AttributeReader& attributes, int) { broadcast.read(attributes); }
  void infer(InferContext& context) const {
    context.set_output(0, common_element(context, 0, 2), broadcast.result_shape(context));
    combine_shape_values(context, on_shapes);
  }
};

struct Add : Arithmetic<DimensionOp::add> {
  static const OpSchema schema;
};
struct Sub : Arithmetic<DimensionOp::subtract> {
  static const OpSchema schema;
};
struct Mul : Arithmetic<DimensionOp::multiply> {
  static const OpSchema schema;
};
struct Div : Arithmetic<DimensionOp::divide> {
  static const OpSchema schema;
};

}  // namespace ortool
