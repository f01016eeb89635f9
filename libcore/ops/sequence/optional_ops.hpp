// Operators on optional values: construction, test for a value, and extraction.
// https://onnx.ai/onnx/operators/onnx__Optional.html and likewise for the others
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Wraps the input; without input, an empty optional.
struct Optional {
  static const OpSchema schema;

  /// The element type; unknown where the input determines it.
  ValueType element;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Whether the optional has a value. True for an input that is not optional, false if it is
/// omitted.
struct OptionalHasElement {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// The value of the optional; an input that is not optional passes through.
struct OptionalGetElement {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

}  // namespace ortool
