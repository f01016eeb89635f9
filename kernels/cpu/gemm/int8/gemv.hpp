// Int8 GEMV: products of few rows by panels packed for AMX tiles, what one call computes.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// Rows that fill little of a tile: each word of theirs is multiplied by a step of the panels.
constexpr int64_t most_gemv_rows = 4;
constexpr int64_t gemv_columns = 256;

/// Up to most_gemv_rows rows of unsigned bytes by the panels of up to gemv_columns columns.
struct Int8Gemv {
  const uint8_t* a;  ///< rows that can be read up to whole words
  int64_t a_stride;
  int64_t rows;
  int64_t words;        ///< of four bytes along k
  const uint8_t* b;     ///< the first panel
  int64_t panel_bytes;  ///< from a panel to the next
  int64_t panels;
  int32_t* sums;  ///< rows × gemv_columns
};

ORTOOL_ISA_FUNCTIONS((vnni), void multiply_int8_gemv(const Int8Gemv& product);)

}  // namespace ortool::cpu
