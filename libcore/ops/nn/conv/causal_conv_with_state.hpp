// CausalConvWithState: a causal depthwise convolution that carries past inputs as state.
// https://onnx.ai/onnx/operators/onnx__CausalConvWithState.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct CausalConvWithState {
  static const OpSchema schema;

  bool has_silu = false;  ///< multiplies the output by its sigmoid

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
