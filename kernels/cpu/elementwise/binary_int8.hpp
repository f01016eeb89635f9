// Quantized (int8) addition, subtraction and multiplication, and table lookups.
#pragma once

#include <cstdint>

#include "kernels/cpu/epilogue/quantize_rows.hpp"
#include "kernels/cpu/isa/cpu_features.hpp"
#include "kernels/cpu/parallel/broadcast.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

struct Int8BinaryScales {
  Int8Scale a;
  Int8Scale b;
  float out = 1.0F;
  Int8Range range;
};

/// out = clamp(nearest((a op b) / out scale)) + zero point in float32, ties to even: bit-identical
/// to dequantizing, computing and quantizing. `out` may be an operand of its own size.
void int8_binary(Int8BinaryOp op, const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* out,
                 const Int8BinaryScales& scales, const BroadcastPlan& plan, Isa isa,
                 Workers& workers);

/// out[i] = table[in[i]]; `out` may be `in`.
void byte_lookup(const std::uint8_t* in, const std::uint8_t* table, std::int64_t count,
                 std::uint8_t* out, Isa isa, Workers& workers);

}  // namespace ortool::cpu
