// MaxUnpool: puts the results of MaxPool back to their positions, zeros elsewhere.
// https://onnx.ai/onnx/operators/onnx__MaxUnpool.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/window_rules.hpp"

namespace ortool {

struct MaxUnpool {
  static const OpSchema schema;

  WindowAttributes window;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
