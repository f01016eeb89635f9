// Weight-only quantized products: keeps compressed matrices and dequantizes while multiplying.
#pragma once

#include <cstdint>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/graph/node.hpp"

namespace ortool {

/// Each MatMul and Gemm of `graph` (not of its bodies) by a constant matrix of 4 or 8 bits with
/// DequantizeLinear becomes a com.microsoft.MatMulNBits, which dequantizes as it multiplies: with
/// one scale, one per column, or one for each block of 16, 32, 64 … rows of a column. New constants
/// count against `cap` (may be null). Needs inferred types. Returns the number of products.
std::int64_t keep_quantized_weights(Graph& graph, MemoryCap* cap);

}  // namespace ortool
