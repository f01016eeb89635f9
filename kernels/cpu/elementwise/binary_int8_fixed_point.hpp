// Fixed-point kernels of quantized (int8) addition and multiplication.
#pragma once

#include <stdint.h>

#include "kernels/cpu/epilogue/quantize_rows.hpp"
#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// Upper bound on the operands of a sum, or on a product, in units of the output scale; and the
/// bound below which errors are those of the result's range.
constexpr float max_fast_number = 1024.0F;
constexpr float min_fast_number = 256.0F;

/// Error bound of a value with 16 fractional bits, in units of 2^-16, if operands or products reach
/// max_fast_number; in proportion if they are smaller. Sums: operands and sums of up to 2^27.2 are
/// rounded three times by up to 8 each, factors twice by up to 4, the quotient itself by 4.
/// Products of up to 2^26: the float formula rounds four times by up to 4, and the factor and the
/// value are rounded once by up to 4 each.
constexpr float fast_number_error = 40.0F;

/// out = (a + b) / out scale, or a * b / out scale, quantized; bit-identical to
/// QuantizeFunctions::binary, which computes what contains a rounding tie.
struct FixedPointBinary {
  const uint8_t* a;
  const uint8_t* b;
  int64_t count;
  Int8Scale a_scale;
  Int8Scale b_scale;
  float out_scale;
  Int8Range range;
  uint8_t* out;  ///< may be a or b
  float error;   ///< bound on the error of a value
  Int8BinaryOp op;
  const QuantizeFunctions* exact;

  __attribute__((always_inline)) void compute_exactly(int64_t first, int64_t elements) const {
    exact->binary(op, a + first, 1, a_scale, b + first, 1, b_scale, elements, out_scale, range,
                  out + first);
  }
};

/// Each function processes whole blocks of 32 or 64 bytes and returns the number of bytes done. No
/// value may exceed max_fast_number.
ORTOOL_ISA_FUNCTIONS((avx2, vbmi), int64_t add_bytes(const FixedPointBinary& add);
                     int64_t multiply_bytes(const FixedPointBinary& multiply);)

}  // namespace ortool::cpu
