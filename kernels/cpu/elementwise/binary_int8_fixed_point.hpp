// Quantized (int8) sums and products in fixed point: what one call computes.
#pragma once

#include <stdint.h>

#include "kernels/cpu/epilogue/quantize_rows.hpp"
#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// The largest number that an operand of a sum alone, or a product, may be, in steps of the result.
constexpr float most_fast_number = 1024.0F;

/// How far a number of 16 bits of fraction may be off. Sums: operands and sums of up to 2^27.2 are
/// rounded by up to 8 three times, factors by up to 4 twice; the quotient itself by 4. Products of
/// up to 2^26: the formula rounds four times by up to 4, the factor and the number are rounded once
/// by up to 4 each.
constexpr float fast_number_error = 40.0F;

/// out = byte of (a + b) / out scale, or of a * b / out scale, the same as
/// QuantizeFunctions::binary gives.
struct FixedPointBinary {
  const uint8_t* a;
  const uint8_t* b;
  int64_t count;
  Int8Scale a_scale;
  Int8Scale b_scale;
  float out_scale;
  Int8Range range;
  uint8_t* out;  ///< may be a or b
};

/// All compute pieces of 32 or 64 bytes up to the first that has a number near a half; they return
/// how many bytes. No number may be larger than most_fast_number.
ORTOOL_ISA_FUNCTIONS((avx2, vbmi), int64_t add_bytes(const FixedPointBinary& add);
                     int64_t multiply_bytes(const FixedPointBinary& multiply);)

}  // namespace ortool::cpu
