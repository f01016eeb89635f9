// Microkernel of weight-only quantized products: rows of floats times a panel of columns of
// quantized blocks, a table for each instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// Columns that lie side by side, a byte each at a time.
constexpr int64_t block_panel_columns = 16;

/// Some rows by some panels. Of a panel each block holds its columns' scales as floats, then, where
/// `has_zeros`, their zero points as bytes, then the levels: a byte a column for each step of k, or
/// with 4 bits for each two, the first in the low bits. Of 8 bits both are signed, around the
/// middle.
struct BlockPanelTask {
  const float* a;
  int64_t a_stride;
  int64_t rows;
  int64_t k;
  const uint8_t* panel;
  int64_t panel_stride;  ///< bytes from panel to panel
  int64_t panels;        ///< at most the level's most_panels
  int64_t block_size;
  int32_t bits;       ///< 4 or 8
  int32_t has_zeros;  ///< else the middle level stands for zero
  float* out;
  int64_t out_stride;
  int64_t columns;  ///< that are written, of all panels
};

/// out = Σ a · (level - zero point) · scale, in order of k; a level may give each block's sum its
/// scale. What a number is does not depend on which rows and panels are multiplied with it.
struct BlockRowFunctions {
  int64_t most_panels;
  int64_t slab_rows;  ///< from so many rows on, levels are better made floats once for all of them
  void (*multiply)(const BlockPanelTask& task);
  /// The levels of the task's first panel at the steps [first, first + count) of k as floats with
  /// their scales: 16 columns, each step `step` floats behind the one before.
  void (*unpack)(const BlockPanelTask& task, int64_t first, int64_t count, float* to, int64_t step);
};

ORTOOL_ISA_KERNEL(BlockRowFunctions, block_row_functions, baseline, avx2, avx512)

}  // namespace ortool::cpu
