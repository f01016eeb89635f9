// BitCast: reinterprets the bits as another element type of the same width.
// https://onnx.ai/onnx/operators/onnx__BitCast.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct BitCast {
  static const OpSchema schema;

  DataType to = DataType::undefined;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
