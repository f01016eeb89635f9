// Loop: a graph repeated a number of times or while a condition holds.
// https://onnx.ai/onnx/operators/onnx__Loop.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs: trip count, condition, carried values. The body maps (iteration, condition, carried) to
/// (condition, carried, scanned); outputs are the carried values and the scanned ones stacked.
struct Loop {
  static const OpSchema schema;

  const Graph* body = nullptr;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
