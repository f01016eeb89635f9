// Add, Sub, Mul, Div: elementwise arithmetic with broadcasting.
// https://onnx.ai/onnx/operators/onnx__Add.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/legacy_broadcast.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "libcore/ops/value_rules.hpp"

namespace ortool {

/// Common base of the four operators.
template <ElementOp op>
struct Arithmetic {
  LegacyBroadcast broadcast;

  void read(AttributeReader& attributes, int) { broadcast.read(attributes); }
  void infer(InferContext& context) const {
    context.set_output(0, common_element(context, 0, 2), broadcast.result_shape(context));
    if (broadcast.kind == LegacyBroadcast::Kind::along_first) return;
    const DataType element = context.element(0);
    combine_elements(context, element, [element](const KnownElement& a, const KnownElement& b) {
      return combine(op, a, b, element);
    });
  }
};

struct Add : Arithmetic<ElementOp::add> {
  static const OpSchema schema;
};
struct Sub : Arithmetic<ElementOp::subtract> {
  static const OpSchema schema;
};
struct Mul : Arithmetic<ElementOp::multiply> {
  static const OpSchema schema;
};
struct Div : Arithmetic<ElementOp::divide> {
  static const OpSchema schema;
};

}  // namespace ortool
