// If: runs one of two subgraphs, selected by a condition.
// https://onnx.ai/onnx/operators/onnx__If.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct If {
  static const OpSchema schema;

  const Graph* then_branch = nullptr;
  const Graph* else_branch = nullptr;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
