// AMX microkernel of the int8 GEMM: blocks of 32 × 32 sums in four tiles; the epilogue of one block
// runs while the next one accumulates.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/cpu/gemm/int8/tiled_microkernel.hpp"

#define ORTOOL_ISA amx
#include "kernels/cpu/isa/amx_tiles.inc"

namespace ortool::cpu::amx {
namespace {

constexpr int64_t tile_bytes = tile_step * tile_panel_columns;
constexpr int64_t line = 64;
constexpr int64_t steps_between = 4;

/// Sums awaiting their epilogue, which processes a few rows every few steps of the next block.
struct PendingSums {
  int32_t* sums;
  int64_t row;
  int64_t rows;
  int64_t panel;
  int64_t done;
};

template <bool has_signed_rows, int sums, int a, int b>
inline void add_product() {
  if constexpr (has_signed_rows) {
    add_signed_signed<sums, a, b>();
  } else {
    add_unsigned_signed<sums, a, b>();
  }
}

/// One step: all row tiles by all column tiles. Row tiles are loaded last, since they come from
/// farther away.
template <bool has_signed_rows, int row_tiles, int column_tiles>
inline void add_step(const uint8_t* a, int64_t a_stride, const uint8_t* b, int64_t panel_bytes) {
  load_tile<6>(b, line);
  if constexpr (column_tiles > 1) load_tile<7>(b + panel_bytes, line);
  load_tile<4>(a, a_stride);
  add_product<has_signed_rows, 0, 4, 6>();
  if constexpr (column_tiles > 1) add_product<has_signed_rows, 1, 4, 7>();
  if constexpr (row_tiles == 1) return;
  load_tile<5>(a + tile_rows * a_stride, a_stride);
  add_product<has_signed_rows, 2, 5, 6>();
  if constexpr (column_tiles > 1) add_product<has_signed_rows, 3, 5, 7>();
}

class Multiplier {
 public:
  explicit Multiplier(const AmxTileProduct& product)
      : product_(product),
        steps_(product.whole_steps + (product.a_rest != nullptr ? 1 : 0)),
        panel_bytes_(tile_panel_bytes(steps_)) {}

  template <bool has_signed_rows>
  void run() {
    const int64_t whole = product_.rows / tile_block_rows * tile_block_rows;
    const int64_t rest = product_.rows - whole;
    const TileShapes blocks = shapes_of(tile_block_rows);
    const TileShapes last = shapes_of(rest > 0 ? rest : tile_block_rows);
    take_tiles(whole > 0 ? blocks : last);
    for (int64_t panel = product_.panel_begin; panel < product_.panel_end; panel += 2) {
      const bool has_pair = panel + 1 < product_.panel_end;
      start_prefetch(panel + 2);
      if (whole > 0 && rest > 0 && panel > product_.panel_begin) take_tiles(blocks);
      for (int64_t row = 0; row < whole; row += tile_block_rows)
        has_pair ? block<has_signed_rows, 2, 2>(row, tile_block_rows, panel)
                 : block<has_signed_rows, 2, 1>(row, tile_block_rows, panel);
      if (rest == 0) continue;
      if (whole > 0) take_tiles(last);
      if (rest > tile_rows) {
        has_pair ? block<has_signed_rows, 2, 2>(whole, rest, panel)
                 : block<has_signed_rows, 2, 1>(whole, rest, panel);
      } else {
        has_pair ? block<has_signed_rows, 1, 2>(whole, rest, panel)
                 : block<has_signed_rows, 1, 1>(whole, rest, panel);
      }
    }
    release_tiles();
    finish_waiting(waiting_.rows);
  }

 private:
  /// Tiles 0, 1 and 4 hold the first 16 rows; 2, 3 and 5 hold the others.
  static TileShapes shapes_of(int64_t rows) {
    const int first = static_cast<int>(rows < tile_rows ? rows : tile_rows);
    const int second = static_cast<int>(rows > tile_rows ? rows - tile_rows : 1);
    TileShapes shapes;
    shapes.set(0, first, tile_row_bytes);
    shapes.set(1, first, tile_row_bytes);
    shapes.set(2, second, tile_row_bytes);
    shapes.set(3, second, tile_row_bytes);
    shapes.set(4, first, tile_row_bytes);
    shapes.set(5, second, tile_row_bytes);
    return shapes;
  }

  /// Spreads the prefetching of the next panels over the blocks of these.
  void start_prefetch(int64_t panel) {
    prefetch_ = product_.b + panel * panel_bytes_;
    const int64_t end =
        panel + 2 < product_.prefetched_panels ? panel + 2 : product_.prefetched_panels;
    prefetch_end_ = end > panel ? product_.b + end * panel_bytes_ : prefetch_;
    const int64_t blocks = (product_.rows + tile_block_rows - 1) / tile_block_rows;
    const int64_t all_steps = blocks * steps_;
    prefetch_lines_ =
        ((prefetch_end_ - prefetch_) / line + all_steps - 1) / (all_steps > 0 ? all_steps : 1);
  }
  void prefetch_next() {
    for (int64_t i = 0; i < prefetch_lines_ && prefetch_ < prefetch_end_; ++i, prefetch_ += line)
      _mm_prefetch(prefetch_, _MM_HINT_T1);
  }

  void finish_waiting(int64_t most) {
    const int64_t left = waiting_.rows - waiting_.done;
    const int64_t rows = most < left ? most : left;
    if (rows <= 0) return;
    product_.finish(product_.context, waiting_.sums + waiting_.done * tile_block_columns,
                    waiting_.row + waiting_.done, rows, waiting_.panel);
    waiting_.done += rows;
  }

  template <bool has_signed_rows, int row_tiles, int column_tiles>
  void block(int64_t row, int64_t rows, int64_t panel) {
    zero_tile<0>();
    if constexpr (column_tiles > 1) zero_tile<1>();
    if constexpr (row_tiles > 1) zero_tile<2>();
    if constexpr (row_tiles > 1 && column_tiles > 1) zero_tile<3>();
    const uint8_t* a = product_.a + row * product_.a_stride;
    const uint8_t* b = product_.b + panel * panel_bytes_;
    const int64_t turns = steps_ / steps_between + 1;
    const int64_t rows_at_once = (waiting_.rows + turns - 1) / turns;
    for (int64_t step = 0; step < product_.whole_steps; ++step) {
      add_step<has_signed_rows, row_tiles, column_tiles>(a, product_.a_stride, b, panel_bytes_);
      a += tile_step;
      b += tile_bytes;
      prefetch_next();
      if (step % steps_between == steps_between - 1) finish_waiting(rows_at_once);
    }
    if (product_.a_rest != nullptr) {
      add_step<has_signed_rows, row_tiles, column_tiles>(product_.a_rest + row * tile_step,
                                                         tile_step, b, panel_bytes_);
      prefetch_next();
    }
    finish_waiting(waiting_.rows);
    int32_t* sums = sums_[next_];
    constexpr int64_t stride = tile_block_columns * 4;
    store_tile<0>(sums, stride);
    if constexpr (column_tiles > 1) store_tile<1>(sums + tile_lanes, stride);
    int32_t* second = sums + tile_rows * tile_block_columns;
    if constexpr (row_tiles > 1) store_tile<2>(second, stride);
    if constexpr (row_tiles > 1 && column_tiles > 1) store_tile<3>(second + tile_lanes, stride);
    waiting_ = {sums, row, rows, panel, 0};
    next_ = 1 - next_;
  }

  const AmxTileProduct& product_;
  int64_t steps_;
  int64_t panel_bytes_;
  const uint8_t* prefetch_ = nullptr;
  const uint8_t* prefetch_end_ = nullptr;
  int64_t prefetch_lines_ = 0;
  PendingSums waiting_ = {};
  int next_ = 0;
  alignas(64) int32_t sums_[2][tile_block_rows * tile_block_columns];
};

}  // namespace

void multiply_amx_tiles(const AmxTileProduct& product) {
  if (product.has_signed_rows != 0) return Multiplier(product).run<true>();
  Multiplier(product).run<false>();
}

}  // namespace ortool::cpu::amx
