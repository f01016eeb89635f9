// CausalConvWithState: a convolution of each channel that looks back only, with what it needs of
// the past. https://onnx.ai/onnx/operators/onnx__CausalConvWithState.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct CausalConvWithState {
  static const OpSchema schema;

  bool has_silu = false;  ///< the output times its sigmoid

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
