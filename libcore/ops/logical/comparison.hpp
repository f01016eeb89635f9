// Equal, Greater, Less, GreaterOrEqual, LessOrEqual: two tensors compared element by element.
// https://onnx.ai/onnx/operators/onnx__Equal.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/legacy_broadcast.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Operators of two inputs of the same type whose output is boolean.
struct BooleanBinary {
  LegacyBroadcast broadcast;

  void read(AttributeReader& attributes, int) { broadcast.read(attributes); }
  void infer(InferContext& context) const;
};

struct Equal : BooleanBinary {
  static const OpSchema schema;
};
struct Greater : BooleanBinary {
  static const OpSchema schema;
};
struct GreaterOrEqual : BooleanBinary {
  static const OpSchema schema;
};
struct Less : BooleanBinary {
  static const OpSchema schema;
};
struct LessOrEqual : BooleanBinary {
  static const OpSchema schema;
};

}  // namespace ortool
