// And, Or, Xor, Not: elementwise logical operators.
// https://onnx.ai/onnx/operators/onnx__And.html
#pragma once

#include "libcore/ops/logical/comparison.hpp"
#include "libcore/ops/math/unary.hpp"

namespace ortool {

struct And : BooleanBinary {
  static const OpSchema schema;
  void infer(InferContext& context) const;
};
struct Not : ElementwiseUnary {
  static const OpSchema schema;
  void infer(InferContext& context) const;
};
struct Or : BooleanBinary {
  static const OpSchema schema;
  void infer(InferContext& context) const;
};
struct Xor : BooleanBinary {
  static const OpSchema schema;
  void infer(InferContext& context) const;
};

}  // namespace ortool
