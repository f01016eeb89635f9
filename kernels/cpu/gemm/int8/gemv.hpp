// Int8 GEMV: multiplies few rows by panels packed for AMX tiles.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// Maximum rows: so few would leave tiles mostly empty, so each of their quads is multiplied by a
/// step of the panels.
constexpr int64_t max_gemv_rows = 4;
constexpr int64_t gemv_columns = 256;

/// Up to max_gemv_rows rows of u8 by panels of up to gemv_columns columns.
struct Int8Gemv {
  const uint8_t* a;  ///< rows are readable up to a whole quad
  int64_t a_stride;
  int64_t rows;
  int64_t words;        ///< quads along k
  const uint8_t* b;     ///< the first panel
  int64_t panel_bytes;  ///< bytes between panels
  int64_t panels;
  int32_t* sums;  ///< rows × gemv_columns
};

ORTOOL_ISA_FUNCTIONS((vnni), void multiply_int8_gemv(const Int8Gemv& product);)

}  // namespace ortool::cpu
