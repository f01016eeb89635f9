// SplitToSequence: a tensor cut into a sequence of pieces along an axis.
// https://onnx.ai/onnx/operators/onnx__SplitToSequence.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Input 1, where given, is the size of every piece but perhaps the last (a scalar) or of each
/// piece (a vector); pieces are of size 1 without it.
struct SplitToSequence {
  static const OpSchema schema;

  std::int64_t axis = 0;
  bool keeps_axis = true;  ///< of pieces of size 1; counts only without input 1

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
