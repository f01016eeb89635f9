// Equal, Greater, Less, GreaterOrEqual, LessOrEqual: two tensors compared element by element.
// https://onnx.ai/onnx/operators/onnx__Equal.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/legacy_broadcast.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/value_rules.hpp"

namespace ortool {

/// Operators of two inputs of the same type whose output is boolean.
struct BooleanBinary {
  LegacyBroadcast broadcast;

  void read(AttributeReader& attributes, int) { broadcast.read(attributes); }
  void infer(InferContext& context) const;
  /// Tells the output's elements from those of both inputs.
  void combine_all(
      InferContext& context,
      FunctionRef<KnownElement(const KnownElement&, const KnownElement&)> combine) const;
};

struct Equal : BooleanBinary {
  static const OpSchema schema;
  void infer(InferContext& context) const;
};
struct Greater : BooleanBinary {
  static const OpSchema schema;
  void infer(InferContext& context) const;
};
struct GreaterOrEqual : BooleanBinary {
  static const OpSchema schema;
  void infer(InferContext& context) const;
};
struct Less : BooleanBinary {
  static const OpSchema schema;
  void infer(InferContext& context) const;
};
struct LessOrEqual : BooleanBinary {
  static const OpSchema schema;
  void infer(InferContext& context) const;
};

}  // namespace ortool
