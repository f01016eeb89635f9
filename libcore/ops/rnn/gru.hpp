// GRU: a recurrent layer with update, reset and hidden gates.
// https://onnx.ai/onnx/operators/onnx__GRU.html
#pragma once

#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/rnn/recurrent.hpp"

namespace ortool {

struct GRU : RecurrentLayer {
  static const OpSchema schema;

  bool linear_before_reset = false;  ///< applies the reset gate after the product with R

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
