// SplitToSequence: splits a tensor along an axis into a sequence.
// https://onnx.ai/onnx/operators/onnx__SplitToSequence.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Input 1, if present, is the size of every piece except perhaps the last (a scalar) or of each
/// piece (a vector); without it, pieces have size 1.
struct SplitToSequence {
  static const OpSchema schema;

  std::int64_t axis = 0;
  bool keeps_axis = true;  ///< for pieces of size 1; used only without input 1

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
