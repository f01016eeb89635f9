// AMX microkernel of the int8 GEMM: what one call computes.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// Rows and columns of a block of sums, columns of a panel, and bytes along k of a step.
constexpr int64_t tile_block_rows = 32;
constexpr int64_t tile_block_columns = 32;
constexpr int64_t tile_panel_columns = 16;
constexpr int64_t tile_step = 64;

/// A panel holds 16 columns, step by step; a step has 16 words of four bytes along k for each four
/// of its 64 bytes.
constexpr int64_t tile_panel_bytes(int64_t steps) {
  return steps * tile_step * tile_panel_columns;
}

/// Rows of bytes, as they lie, by panels of signed bytes. Sums wrap.
struct AmxTileProduct {
  const uint8_t* a;
  int64_t a_stride;
  int64_t rows;
  int32_t has_signed_rows;
  int64_t whole_steps;
  /// The rest of the rows along k, rows × 64 with zeros behind; null: k is a multiple of 64.
  const uint8_t* a_rest;
  const uint8_t* b;     ///< one panel behind the other
  int64_t panel_begin;  ///< even
  int64_t panel_end;
  int64_t panels_near;  ///< panels before this are brought near while those before are multiplied
  /// Takes blocks of sums, 32 apart from row to row, some rows at a time: those of [row, row +
  /// rows) and of the columns of the panels from `panel` on, of which there are one or two.
  void (*finish)(const void* context, int32_t* sums, int64_t row, int64_t rows, int64_t panel);
  const void* context;
};

ORTOOL_ISA_FUNCTIONS((amx), void multiply_amx_tiles(const AmxTileProduct& product);)

}  // namespace ortool::cpu
