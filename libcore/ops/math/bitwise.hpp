// BitShift, BitwiseAnd, BitwiseOr, BitwiseXor and BitwiseNot on integers.
// https://onnx.ai/onnx/operators/onnx__BitShift.html, …__BitwiseAnd.html
#pragma once

#include "libcore/ops/math/unary.hpp"

namespace ortool {

/// Two tensors of one integer type, with broadcasting.
struct BitwiseBinary {
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// Shifts X by Y bits. Since version 28 integers may be signed; right shifts then replicate the
/// sign bit.
struct BitShift {
  static const OpSchema schema;

  bool to_the_right = false;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

struct BitwiseAnd : BitwiseBinary {
  static const OpSchema schema;
};
struct BitwiseNot : ElementwiseUnary {
  static const OpSchema schema;
};
struct BitwiseOr : BitwiseBinary {
  static const OpSchema schema;
};
struct BitwiseXor : BitwiseBinary {
  static const OpSchema schema;
};

}  // namespace ortool
