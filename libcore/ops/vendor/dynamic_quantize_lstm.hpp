// com.microsoft.DynamicQuantizeLSTM: an LSTM by weights of bytes, whose inputs become bytes while
// it runs. https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include "libcore/ops/rnn/lstm.hpp"

namespace ortool {

/// Inputs: those of LSTM, W and R turned to [directions, depth, 4 * hidden] and of bytes, then the
/// scale and zero point of W and of R, one a direction or one a column of each.
struct DynamicQuantizeLSTM : LSTM {
  static const OpSchema schema;

  void infer(InferContext& context) const;
};

}  // namespace ortool
