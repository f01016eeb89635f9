// Bfloat16 GEMM microkernel for AMX: blocks of 32 × 32 sums in four tiles; the epilogue of one
// block runs while the next one accumulates.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/cpu/gemm/bf16/microkernel.hpp"
#include "kernels/cpu/gemm/bf16/pack.hpp"

#define ORTOOL_ISA amxbf16
#include "kernels/cpu/gemm/bf16/epilogue.inc"
#include "kernels/cpu/isa/amx_tiles.inc"

namespace ortool::cpu::amxbf16 {
namespace {

constexpr int64_t line = 64;
constexpr int64_t block_rows = 2 * tile_rows;
constexpr int64_t block_columns = 2 * tile_lanes;
constexpr int64_t steps_between = 2;

/// Sums awaiting their epilogue, which processes a few rows every few steps of the next block.
struct PendingSums {
  const float* sums;
  int64_t row;
  int64_t rows;
  int64_t first;
  int64_t columns;
};

template <int row_tiles, int column_tiles>
inline void add_step(const uint16_t* a, const uint16_t* b, int64_t block_values) {
  load_tile<6>(b, line);
  if constexpr (column_tiles > 1) load_tile<7>(b + block_values, line);
  load_tile<4>(a, line);
  add_bf16<0, 4, 6>();
  if constexpr (column_tiles > 1) add_bf16<1, 4, 7>();
  if constexpr (row_tiles == 1) return;
  load_tile<5>(a + block_values, line);
  add_bf16<2, 5, 6>();
  if constexpr (column_tiles > 1) add_bf16<3, 5, 7>();
}

class Multiplier {
 public:
  explicit Multiplier(const Bf16Product& product)
      : product_(product), block_values_(product.steps * bf16_step_values) {}

  void run() {
    take_tiles(TileShapes());
    const int64_t rows = product_.row_end - product_.row_begin;
    const int64_t blocks = (rows + block_rows - 1) / block_rows;
    constexpr int64_t pair_lines = 2 * bf16_step_values * 2 / line;
    prefetched_lines_ = (pair_lines + blocks - 1) / (blocks > 0 ? blocks : 1);
    for (int64_t panel = product_.panel_begin; panel < product_.panel_end; panel += 2) {
      const bool has_pair = panel + 1 < product_.panel_end;
      prefetch_ = nullptr;
      prefetch_end_ = nullptr;
      if (panel + 3 < product_.prefetched_panels) {
        prefetch_ = reinterpret_cast<const char*>(product_.b + (panel + 2) * block_values_);
        prefetch_end_ = prefetch_ + 2 * block_values_ * 2;
      }
      for (int64_t row = product_.row_begin; row < product_.row_end; row += block_rows) {
        if (row + tile_rows < product_.row_end) {
          has_pair ? block<2, 2>(row, panel) : block<2, 1>(row, panel);
        } else {
          has_pair ? block<1, 2>(row, panel) : block<1, 1>(row, panel);
        }
      }
    }
    release_tiles();
    finish_waiting(waiting_.rows);
  }

 private:
  /// Brings a part of the next panels into the L2 cache.
  void prefetch_next() {
    for (int64_t i = 0; i < prefetched_lines_ && prefetch_ < prefetch_end_; ++i, prefetch_ += line)
      _mm_prefetch(prefetch_, _MM_HINT_T1);
  }

  void finish_waiting(int64_t most) {
    const int64_t rows = most < waiting_.rows ? most : waiting_.rows;
    if (rows <= 0) return;
    finish_block(product_, {waiting_.sums, block_columns, waiting_.row, rows, waiting_.first,
                            waiting_.columns});
    waiting_.sums += rows * block_columns;
    waiting_.row += rows;
    waiting_.rows -= rows;
  }

  template <int row_tiles, int column_tiles>
  void block(int64_t row, int64_t panel) {
    zero_tile<0>();
    if constexpr (column_tiles > 1) zero_tile<1>();
    if constexpr (row_tiles > 1) zero_tile<2>();
    if constexpr (row_tiles > 1 && column_tiles > 1) zero_tile<3>();
    const uint16_t* a = product_.a + row / bf16_block_rows * block_values_;
    const uint16_t* b = product_.b + panel * block_values_;
    const int64_t turns = product_.steps / steps_between + 1;
    const int64_t rows_at_once = (waiting_.rows + turns - 1) / turns;
    for (int64_t step = 0; step < product_.steps; ++step) {
      add_step<row_tiles, column_tiles>(a, b, block_values_);
      a += bf16_step_values;
      b += bf16_step_values;
      prefetch_next();
      if (step % steps_between == steps_between - 1) finish_waiting(rows_at_once);
    }
    finish_waiting(waiting_.rows);
    float* sums = sums_[next_];
    constexpr int64_t stride = block_columns * 4;
    store_tile<0>(sums, stride);
    if constexpr (column_tiles > 1) store_tile<1>(sums + tile_lanes, stride);
    float* second = sums + tile_rows * block_columns;
    if constexpr (row_tiles > 1) store_tile<2>(second, stride);
    if constexpr (row_tiles > 1 && column_tiles > 1) store_tile<3>(second + tile_lanes, stride);
    const int64_t rows_left = product_.row_end - row;
    const int64_t first = panel * bf16_panel_columns;
    const int64_t columns_left = product_.columns - first;
    constexpr int64_t most = column_tiles * bf16_panel_columns;
    waiting_ = {sums, row, rows_left < block_rows ? rows_left : block_rows, first,
                columns_left < most ? columns_left : most};
    next_ = 1 - next_;
  }

  const Bf16Product& product_;
  int64_t block_values_;
  const char* prefetch_ = nullptr;
  const char* prefetch_end_ = nullptr;
  int64_t prefetched_lines_ = 0;
  PendingSums waiting_ = {};
  int next_ = 0;
  alignas(64) float sums_[2][block_rows * block_columns];
};

void multiply(const Bf16Product& product) {
  Multiplier(product).run();
}

float multiply_registers(int64_t rounds) {
  take_tiles(TileShapes());
  for (int64_t round = 0; round < rounds; ++round) {
    add_bf16<0, 4, 6>();
    add_bf16<1, 4, 7>();
    add_bf16<2, 5, 6>();
    add_bf16<3, 5, 7>();
  }
  alignas(64) float sums[tile_rows * tile_lanes];
  store_tile<0>(sums, line);
  release_tiles();
  return sums[0];
}

}  // namespace

const Bf16GemmFunctions bf16_gemm_functions = {.pack_rows = bf16::pack_rows,
                                               .pack_columns = bf16::pack_columns,
                                               .pack_transposed = bf16::pack_transposed,
                                               .multiply = multiply,
                                               .multiply_registers = multiply_registers,
                                               .flops_per_round = 2.0 * 4 * 16 * 16 * 32};

}  // namespace ortool::cpu::amxbf16
