// LSTM: a recurrent layer with a cell state and input, output, forget and cell gates.
// https://onnx.ai/onnx/operators/onnx__LSTM.html
#pragma once

#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/rnn/recurrent.hpp"

namespace ortool {

struct LSTM : RecurrentLayer {
  static const OpSchema schema;

  bool couples_gates = false;  ///< forget gate = 1 - input gate

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;

 protected:
  /// The cell reads `more` elements beside those of X.
  void infer_layer(InferContext& context, bool is_transposed, const Dimension& more = 0) const;
};

}  // namespace ortool
