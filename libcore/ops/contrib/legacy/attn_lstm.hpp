// com.microsoft.AttnLSTM: an LSTM whose cell also reads what it attends to in a memory (Bahdanau
// attention).
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include "libcore/ops/rnn/lstm.hpp"

namespace ortool {

/// Inputs: those of LSTM, whose W has columns for the attention behind those of X; weights of the
/// query and of the memory, a vector, the memory batch x steps x depth, its lengths, and weights of
/// a layer on the state and the attention. All weights have the directions in front.
struct AttnLSTM : LSTM {
  static const OpSchema schema;

  void infer(InferContext& context) const;
};

}  // namespace ortool
