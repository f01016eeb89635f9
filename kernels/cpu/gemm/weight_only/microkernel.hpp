// Microkernel of weight-only quantized products: float32 rows by a panel of columns in quantized
// blocks, one table per instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// Columns per panel; their codes are interleaved byte by byte.
constexpr int64_t block_panel_columns = 16;

/// Some rows by some panels. Each block of a panel holds its columns' scales as floats, then their
/// zero points as bytes if `has_zeros`, then the codes: one byte per column for each step of k or,
/// with 4 bits, for every two steps, the first in the low bits. With 8 bits, codes and zero points
/// are stored as signed, relative to the middle code.
struct BlockPanelTask {
  const float* a;
  int64_t a_stride;
  int64_t rows;
  int64_t k;
  const uint8_t* panel;
  int64_t panel_stride;  ///< bytes between panels
  int64_t panels;        ///< at most max_panels of the instruction set
  int64_t block_size;
  int32_t bits;        ///< 4 or 8
  int32_t has_zeros;   ///< 0: the middle code is the zero point
  const float* table;  ///< values of 4-bit codes without zero points; null: integers
  float* out;
  int64_t out_stride;
  int64_t columns;  ///< to be written, over all panels
};

/// out = Σ a · (code - zero point or value of the table) · scale, in order of k; an instruction set
/// may apply the scale to each block's sum. A result does not depend on which rows and panels are
/// multiplied together.
struct BlockRowFunctions {
  int64_t max_panels;
  int64_t slab_rows;  ///< from this many rows on, dequantizing once for all rows is faster
  void (*multiply)(const BlockPanelTask& task);
  /// Dequantizes the task's first panel for steps [first, first + count) of k, scales applied: 16
  /// columns per step, steps are `step` floats apart.
  void (*unpack)(const BlockPanelTask& task, int64_t first, int64_t count, float* to, int64_t step);
};

ORTOOL_ISA_KERNEL(BlockRowFunctions, block_row_functions, baseline, avx2, avx512)

}  // namespace ortool::cpu
