// Loop: repeats a subgraph a given number of times or while a condition holds.
// https://onnx.ai/onnx/operators/onnx__Loop.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs: trip count, condition, loop-carried values. The body maps (iteration, condition,
/// carried) to (condition, carried, scan outputs). Outputs: the final carried values and the
/// stacked scan outputs.
struct Loop {
  static const OpSchema schema;

  const Graph* body = nullptr;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
