// ConcatFromSequence: concatenates the tensors of a sequence along an existing or a new axis.
// https://onnx.ai/onnx/operators/onnx__ConcatFromSequence.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct ConcatFromSequence {
  static const OpSchema schema;

  std::int64_t axis = 0;
  bool is_new_axis = false;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
