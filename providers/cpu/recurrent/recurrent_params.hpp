// Recurrent layer parameters: nodes in the form that kernels take.
#pragma once

#include "kernels/cpu/recurrent/recurrent.hpp"
#include "libcore/ops/rnn/gru.hpp"
#include "libcore/ops/rnn/lstm.hpp"
#include "libcore/ops/rnn/rnn.hpp"
#include "libcore/provider/kernel.hpp"

namespace ortool::cpu {

RecurrentLayerParams form_of(const LSTM& op);
RecurrentLayerParams form_of(const GRU& op);
RecurrentLayerParams form_of(const RNN& op);

/// Throws if the layer's sizes overflow.
RecurrentSizes recurrent_sizes(const RecurrentLayerParams& params, const Shape& x,
                               std::int64_t hidden);

/// Inputs 0 and 3 to 7, and the outputs. Throws unless every length lies in [0, sequence]. T:
/// float, double.
template <typename T>
RecurrentOperands<T> recurrent_operands(const RecurrentLayerParams& params,
                                        const RecurrentSizes& sizes, const RunContext& run);

}  // namespace ortool::cpu
