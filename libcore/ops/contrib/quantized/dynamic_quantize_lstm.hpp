// com.microsoft.DynamicQuantizeLSTM: LSTM with 8-bit weights and dynamically quantized inputs.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include "libcore/ops/rnn/lstm.hpp"

namespace ortool {

/// Inputs: those of LSTM, with 8-bit W and R transposed to [directions, depth, 4 * hidden], then
/// the scale and zero point of W and of R, one for each direction or for each column of each
/// direction.
struct DynamicQuantizeLSTM : LSTM {
  static const OpSchema schema;

  void infer(InferContext& context) const;
};

}  // namespace ortool
