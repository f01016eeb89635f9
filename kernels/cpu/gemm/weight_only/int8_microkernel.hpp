// Microkernel of weight-only quantized products in integers: rows quantized to int8 block by block,
// by a panel of columns in quantized blocks; one table per instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// Columns per panel.
constexpr int64_t int8_panel_columns = 16;

/// A panel holds, block by block, its columns' scales as floats; then, if there are any, their zero
/// points as bytes, filled up to a whole line; then their codes. 64 bytes of codes have four bytes
/// for each column: those of steps k … k + 3 with 8 bits; with fewer, the steps of the following
/// quads in the next higher bits.
struct Int8PanelLayout {
  int64_t blocks;
  int64_t block_size;
  int32_t bits;  ///< 2, 4 or 8
  int32_t has_zeros;

  int64_t scale_bytes() const { return blocks * int8_panel_columns * 4; }
  int64_t zero_bytes() const {
    return has_zeros != 0 ? (blocks * int8_panel_columns + 63) / 64 * 64 : 0;
  }
  int64_t block_code_bytes() const { return block_size * bits / 8 * int8_panel_columns; }
  int64_t bytes() const { return scale_bytes() + zero_bytes() + blocks * block_code_bytes(); }
};

/// Rows quantized by block: a ≈ code * scale. A term takes the codes' zero points into account: it
/// is the negated sum of the row's codes times the middle code or, with zero points, that negated
/// sum n as two 16-bit words, n mod 128 and n / 128.
struct Int8BlockRows {
  int8_t* codes;
  int64_t stride;  ///< bytes between rows; each is filled up to whole blocks with zeros
  float* scales;   ///< blocks × count
  int32_t* terms;  ///< blocks × count
  int64_t count;   ///< rows in all

  /// The rows from this one on.
  Int8BlockRows from(int64_t row) const {
    return {codes + row * stride, stride, scales + row, terms + row, count};
  }
};

/// Some rows by some panels.
struct Int8BlockTask {
  Int8BlockRows a;
  int64_t rows;
  const uint8_t* panel;
  int64_t panels;  ///< at most max_panels of the instruction set
  Int8PanelLayout layout;
  float* out;
  int64_t out_stride;
  int64_t columns;   ///< to be written, over all panels
  uint8_t* scratch;  ///< for at least `tiled_rows` rows: int8_scratch_bytes(rows)
};

constexpr int64_t int8_max_tiled_block = 256;
/// The sums and the unpacked block of two panels.
constexpr int64_t int8_scratch_bytes(int64_t rows) {
  return 2 * int8_panel_columns * (rows * 4 + int8_max_tiled_block);
}

/// One row of k floats to be quantized; its parts of `to`.
struct Int8RowTask {
  const float* from;
  int64_t k;
  Int8BlockRows to;
  Int8PanelLayout layout;
};

/// out = Σ float(Σ a_code · (code - zero point)) · (a_scale · scale), blocks in order of k,
/// products and sums rounded one by one: bit-identical on all instruction sets.
struct Int8BlockFunctions {
  int64_t max_panels;
  int64_t tiled_rows;  ///< from this many rows on, `scratch` is needed
  void (*multiply)(const Int8BlockTask& task);
  /// scale = largest |a| of the block / 127; a block with a NaN or an infinity has scale NaN.
  void (*quantize)(const Int8RowTask& task);
};

ORTOOL_ISA_KERNEL(Int8BlockFunctions, int8_block_functions, baseline, i8mm, avx2, avx512, vnni, amx)

}  // namespace ortool::cpu
