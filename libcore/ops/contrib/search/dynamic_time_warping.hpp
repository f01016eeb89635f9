// com.microsoft.DynamicTimeWarping: the cheapest path through a matrix of costs, as Whisper's word
// timestamps need it.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Input: costs [rows, columns] or [1, rows, columns]; output: the rows and columns of the path.
struct DynamicTimeWarping {
  static const OpSchema schema;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
