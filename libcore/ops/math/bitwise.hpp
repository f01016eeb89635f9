// BitShift and the bitwise And, Or, Xor and Not: integers taken as rows of bits.
// https://onnx.ai/onnx/operators/onnx__BitShift.html, …__BitwiseAnd.html
#pragma once

#include "libcore/ops/math/unary.hpp"

namespace ortool {

/// Two tensors of one integer type, broadcast to one another.
struct BitwiseBinary {
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// Shifts X by Y bits. From version 28 on integers may be signed: bits shifted in on the left are
/// copies of the sign.
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
