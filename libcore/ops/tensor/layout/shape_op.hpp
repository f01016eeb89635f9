// Shape, Size: a tensor's dimensions, or its number of elements.
// https://onnx.ai/onnx/operators/onnx__Shape.html
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// (Named ShapeOp because Shape is the shape of a tensor.)
struct ShapeOp {
  static const OpSchema schema;

  std::int64_t start = 0;
  std::optional<std::int64_t> end;  ///< absent: the rank

  /// The range of dimensions in the output for a tensor of that rank: [first, last).
  struct Span {
    std::int64_t first;
    std::int64_t last;
  };
  Span span(std::int64_t rank) const;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

struct Size {
  static const OpSchema schema;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
