// LSTM: a recurrent layer with a cell beside its hidden state; gates input, output, forget, cell.
// https://onnx.ai/onnx/operators/onnx__LSTM.html
#pragma once

#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/rnn/recurrent.hpp"

namespace ortool {

struct LSTM : RecurrentLayer {
  static const OpSchema schema;

  bool couples_gates = false;  ///< the forget gate is 1 less the input gate

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;

 protected:
  void infer_layer(InferContext& context, bool is_turned) const;
};

}  // namespace ortool
