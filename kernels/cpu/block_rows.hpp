// Rows of floats times a panel of columns whose levels lie in blocks, an instruction-set level
// each.
#pragma once

#include <stdint.h>

namespace ortool::cpu {

/// Columns that lie side by side, a byte each at a time.
constexpr int64_t block_panel_columns = 16;

/// Some rows by one panel. Of a panel each block holds its columns' scales as floats, then, where
/// `has_zeros`, their zero points as bytes, then the levels: a byte a column for each step of k, or
/// with 4 bits for each two, the first in the low bits.
struct BlockPanelTask {
  const float* a;
  int64_t a_stride;
  int64_t rows;  ///< at most the level's most_rows
  int64_t k;
  const uint8_t* panel;
  int64_t block_size;
  int32_t bits;       ///< 4 or 8
  int32_t has_zeros;  ///< else the middle level stands for zero
  float* out;
  int64_t out_stride;
  int64_t columns;  ///< that are written
};

/// out = Σ a · (level - zero point) · scale, in order of k, each product added in one rounding
/// where the level has such an operation.
struct BlockRowFunctions {
  int64_t most_rows;
  void (*multiply)(const BlockPanelTask& task);
};

namespace baseline {
extern const BlockRowFunctions block_row_functions;
}
namespace avx2 {
extern const BlockRowFunctions block_row_functions;
}
namespace avx512 {
extern const BlockRowFunctions block_row_functions;
}

}  // namespace ortool::cpu
