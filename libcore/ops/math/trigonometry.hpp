// Elementwise sine, cosine, tangent, their inverses and the hyperbolic functions.
// https://onnx.ai/onnx/operators/onnx__Sin.html
#pragma once

#include "libcore/ops/math/unary.hpp"

namespace ortool {

struct Acos : ElementwiseUnary {
  static const OpSchema schema;
};
struct Acosh : ElementwiseUnary {
  static const OpSchema schema;
};
struct Asin : ElementwiseUnary {
  static const OpSchema schema;
};
struct Asinh : ElementwiseUnary {
  static const OpSchema schema;
};
struct Atan : ElementwiseUnary {
  static const OpSchema schema;
};
struct Atanh : ElementwiseUnary {
  static const OpSchema schema;
};
struct Cos : ElementwiseUnary {
  static const OpSchema schema;
};
struct Cosh : ElementwiseUnary {
  static const OpSchema schema;
};
struct Sin : ElementwiseUnary {
  static const OpSchema schema;
};
struct Sinh : ElementwiseUnary {
  static const OpSchema schema;
};
struct Tan : ElementwiseUnary {
  static const OpSchema schema;
};

}  // namespace ortool
