// Optional values: making one, asking whether it holds something, and taking that out.
// https://onnx.ai/onnx/operators/onnx__Optional.html and likewise for the others
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// The input made optional; without input an optional that holds nothing.
struct Optional {
  static const OpSchema schema;

  /// Of what it would hold; unknown where the input says it.
  ValueType element;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Whether there is something; also where the input is not optional, and not where it is left out.
struct OptionalHasElement {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// What the optional holds; an input that is not optional passes through.
struct OptionalGetElement {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

}  // namespace ortool
