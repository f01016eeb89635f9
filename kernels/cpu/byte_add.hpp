// Sums of two tensors of bytes, on processors with AMX: what one call computes.
#pragma once

#include <stdint.h>

#include "kernels/cpu/byte_rows.hpp"

namespace ortool::cpu {

/// The largest number that an operand alone may be, in steps of the result.
constexpr float most_fast_addend = 1024.0F;

/// out = byte of (a + b) / out scale, the same as ByteRowFunctions::binary gives.
struct ByteAdd {
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
/// Adds pieces of 64 bytes up to the first that has a number near a half; returns how many bytes.
/// No operand may be larger than most_fast_addend.
int64_t add_bytes(const ByteAdd& add);
}  // namespace amx_avx512

}  // namespace ortool::cpu
