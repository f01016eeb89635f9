// Col2Im: rearranges columns into image blocks and adds them where they overlap.
// https://onnx.ai/onnx/operators/onnx__Col2Im.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/window_rules.hpp"

namespace ortool {

struct Col2Im {
  static const OpSchema schema;

  WindowAttributes window;  ///< its kernel is the input 'block_shape'

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
