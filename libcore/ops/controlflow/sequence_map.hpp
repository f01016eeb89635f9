// SequenceMap: applies a subgraph to each element of a sequence.
// https://onnx.ai/onnx/operators/onnx__SequenceMap.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Additional sequences are iterated in step; additional tensors are passed whole to every call.
struct SequenceMap {
  static const OpSchema schema;

  const Graph* body = nullptr;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
