// Elementwise unary functions: Abs, Exp, Neg, Sqrt and others.
// https://onnx.ai/onnx/operators/onnx__Abs.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// An operator without attributes whose output has the type and shape of its input.
struct ElementwiseUnary {
  void read(AttributeReader& attributes, int) { attributes.ignore("consumed_inputs"); }
  void infer(InferContext& context) const {
    context.set_output(0, context.element(0), context.shape(0));
  }
};

struct Abs : ElementwiseUnary {
  static const OpSchema schema;
  void infer(InferContext& context) const;
};
struct Ceil : ElementwiseUnary {
  static const OpSchema schema;
  void infer(InferContext& context) const;
};
struct Exp : ElementwiseUnary {
  static const OpSchema schema;
};
struct Floor : ElementwiseUnary {
  static const OpSchema schema;
  void infer(InferContext& context) const;
};
struct Log : ElementwiseUnary {
  static const OpSchema schema;
};
struct Neg : ElementwiseUnary {
  static const OpSchema schema;
  void infer(InferContext& context) const;
};
struct Reciprocal : ElementwiseUnary {
  static const OpSchema schema;
  void infer(InferContext& context) const;
};
struct Round : ElementwiseUnary {
  static const OpSchema schema;
  void infer(InferContext& context) const;
};
struct Sign : ElementwiseUnary {
  static const OpSchema schema;
};
struct Sqrt : ElementwiseUnary {
  static const OpSchema schema;
};

}  // namespace ortool
