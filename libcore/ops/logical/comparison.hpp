// Equal, Greater, Less, GreaterOrEqual, LessOrEqual: elementwise comparison with broadcasting.
// https://onnx.ai/onnx/operators/onnx__Equal.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/legacy_broadcast.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/value_rules.hpp"

namespace ortool {

/// Binary operators with inputs of one type and a boolean output.
struct BooleanBinary {
  LegacyBroadcast broadcast;

  void read(AttributeReader& attributes, int) { broadcast.read(attributes); }
  void infer(InferContext& context) const;
  /// Sets the output's elements computed from those of both inputs.
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
