// AMX microkernel of the int8 GEMM: descriptor of one call.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// Rows and columns of an accumulator block, columns of a panel, and bytes along k of a step.
constexpr int64_t tile_block_rows = 32;
constexpr int64_t tile_block_columns = 32;
constexpr int64_t tile_panel_columns = 16;
constexpr int64_t tile_step = 64;

/// A panel holds 16 columns, step by step. A step of 64 bytes along k has, for each quad, 16 quads:
/// one per column.
constexpr int64_t tile_panel_bytes(int64_t steps) {
  return steps * tile_step * tile_panel_columns;
}

/// Unpacked rows by panels of s8. Sums wrap.
struct AmxTileProduct {
  const uint8_t* a;
  int64_t a_stride;
  int64_t rows;
  int32_t has_signed_rows;
  int64_t whole_steps;
  /// The tail of the rows along k, rows × 64 and zero-padded; null: k is a multiple of 64.
  const uint8_t* a_rest;
  const uint8_t* b;     ///< consecutive panels
  int64_t panel_begin;  ///< even
  int64_t panel_end;
  int64_t prefetched_panels;  ///< panels before this may be prefetched
  /// Receives blocks of sums with row stride 32, a few rows at a time: rows [row, row + rows) of
  /// one or two panels from `panel` on.
  void (*finish)(const void* context, int32_t* sums, int64_t row, int64_t rows, int64_t panel);
  const void* context;
};

ORTOOL_ISA_FUNCTIONS((amx), void multiply_amx_tiles(const AmxTileProduct& product);)

}  // namespace ortool::cpu
