// Scatter and ScatterElements: replace elements of a tensor, each at an index along an axis.
// https://onnx.ai/onnx/operators/onnx__ScatterElements.html
// https://onnx.ai/onnx/operators/onnx__Scatter.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// How an update is combined with the element at its position.
enum class ScatterReduction { none, add, multiply, maximum, minimum };

/// Reads the attribute 'reduction' where the version has it.
ScatterReduction read_scatter_reduction(AttributeReader& attributes);

struct ScatterElements {
  static const OpSchema schema;

  std::int64_t axis = 0;
  ScatterReduction reduction = ScatterReduction::none;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// The original name of ScatterElements.
struct Scatter : ScatterElements {
  static const OpSchema schema;
};

}  // namespace ortool
