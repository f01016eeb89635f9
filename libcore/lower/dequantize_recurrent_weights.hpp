// Dequantization of recurrent layers' weights when a model is loaded.
#pragma once

#include <cstdint>

#include "libcore/graph/node.hpp"
#include "libcore/optimize/rewrite/evaluator.hpp"

namespace ortool {

/// Folds each DequantizeLinear of constants that provides W or R of an LSTM, GRU or RNN of `graph`
/// (not of its bodies), regardless of size: otherwise every run would dequantize it again, into
/// additional memory. Returns the number folded.
std::int64_t dequantize_recurrent_weights(Graph& graph, Evaluator& evaluator);

}  // namespace ortool
