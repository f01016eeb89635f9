// Weights of recurrent layers that a model holds as levels become floats when it is loaded.
#pragma once

#include <cstdint>

#include "libcore/graph/graph.hpp"
#include "libcore/optimize/rewrite/evaluator.hpp"

namespace ortool {

/// Makes constants of what LSTM, GRU and RNN of `graph` (not of its bodies) read as W and R from
/// DequantizeLinear of constants, however large: else each run would make them anew, in memory of
/// its own. Returns how many there were.
std::int64_t dequantize_recurrent_weights(Graph& graph, Evaluator& evaluator);

}  // namespace ortool
