// Products of floats by constant matrices that the model holds as levels keep the levels.
#pragma once

#include <cstdint>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {

/// Each MatMul and Gemm of `graph` (not of its bodies) by a constant matrix of 4 or 8 bits behind
/// DequantizeLinear becomes a com.microsoft.MatMulNBits, which makes floats of levels as it
/// multiplies: with one scale, one a column, or one for each block of 16, 32, 64 … rows of a
/// column. What is made counts against `cap` (may be null). Needs inferred types.
/// Returns how many products there were.
std::int64_t keep_quantized_weights(Graph& graph, MemoryCap* cap);

}  // namespace ortool
