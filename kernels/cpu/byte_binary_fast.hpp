// Sums and products of two tensors of bytes, on processors with AMX: what one call computes.
#pragma once

#include <stdint.h>

#include "kernels/cpu/byte_rows.hpp"

namespace ortool::cpu {

/// The largest number that an operand of a sum alone, or a product, may be, in steps of the result.
constexpr float most_fast_number = 1024.0F;

/// out = byte of (a + b) / out scale, or of a * b / out scale, the same as ByteRowFunctions::binary
/// gives.
struct FastByteBinary {
  const uint8_t* a;
  const uint8_t* b;
  int64_t count;
  ByteScale a_scale;
  ByteScale b_scale;
  float out_scale;
  ByteRange range;
  uint8_t* out;  ///< may be a or b
};

namespace amx_avx512 {
/// Both compute pieces of 64 bytes up to the first that has a number near a half; they return how
/// many bytes. No number may be larger than most_fast_number.
int64_t add_bytes(const FastByteBinary& add);
int64_t multiply_bytes(const FastByteBinary& multiply);
}  // namespace amx_avx512

}  // namespace ortool::cpu
