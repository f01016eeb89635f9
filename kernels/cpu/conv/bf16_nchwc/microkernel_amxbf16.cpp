// Bfloat16 NCHW16c convolution microkernel for AMX: while the tiles accumulate one group of
// positions, vector code finishes the previous one.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/cpu/conv/bf16_nchwc/copy_row.hpp"
#include "kernels/cpu/conv/bf16_nchwc/microkernel.hpp"

#define ORTOOL_ISA amxbf16
#include "kernels/cpu/conv/bf16_nchwc/epilogue.inc"
#include "kernels/cpu/isa/amx_tiles.inc"

namespace ortool::cpu::amxbf16 {
namespace {

constexpr int64_t line = 64;
constexpr int64_t sums_stride = 2 * tile_lanes;

/// Sums awaiting their epilogue, which processes a few positions with every step of the next group.
struct PendingPositions {
  const float* sums;
  const int32_t* pixels;
  int64_t positions;
  int64_t panel;
  int64_t panels;
};

class ConvMultiplier {
 public:
  explicit ConvMultiplier(const Bf16ConvProduct& product)
      : product_(product), panel_values_(product.panel_values) {}

  void run() {
    take_tiles(TileShapes());
    constexpr int64_t pair_lines = 2 * bf16_step_values * 2 / line;
    const int64_t groups = product_.group_count > 0 ? product_.group_count : 1;
    prefetched_lines_ = (pair_lines + groups - 1) / groups;
    for (int64_t panel = product_.panel_begin; panel < product_.panel_end; panel += 2) {
      const bool has_pair = panel + 1 < product_.panel_end;
      prefetch_ = nullptr;
      prefetch_end_ = nullptr;
      if (panel + 3 < product_.prefetched_panels) {
        prefetch_ = reinterpret_cast<const char*>(product_.weights + (panel + 2) * panel_values_);
        prefetch_end_ = prefetch_ + 2 * panel_values_ * 2;
      }
      for (int64_t index = 0; index < product_.group_count; ++index) {
        const Bf16Positions& group = product_.groups[index];
        if (has_second_half(group)) {
          has_pair ? multiply<2, 2>(group, panel) : multiply<2, 1>(group, panel);
        } else {
          has_pair ? multiply<1, 2>(group, panel) : multiply<1, 1>(group, panel);
        }
      }
    }
    release_tiles();
    finish_waiting(waiting_.positions);
  }

 private:
  static bool has_second_half(const Bf16Positions& group) {
    for (int64_t i = tile_rows; i < bf16_group_positions; ++i) {
      if (group.pixels[i] >= 0) return true;
    }
    return false;
  }

  /// Brings a part of the next panels into the L2 cache.
  void prefetch_next() {
    for (int64_t i = 0; i < prefetched_lines_ && prefetch_ < prefetch_end_; ++i, prefetch_ += line)
      _mm_prefetch(prefetch_, _MM_HINT_T1);
  }

  void finish_waiting(int64_t most) {
    const int64_t positions = most < waiting_.positions ? most : waiting_.positions;
    if (positions <= 0) return;
    finish_positions(product_, {waiting_.sums, sums_stride, waiting_.pixels, positions,
                                waiting_.panel, waiting_.panels});
    waiting_.sums += positions * sums_stride;
    waiting_.pixels += positions;
    waiting_.positions -= positions;
  }

  template <int halves, int panels>
  void multiply(const Bf16Positions& group, int64_t panel) {
    zero_tile<0>();
    if constexpr (panels > 1) zero_tile<1>();
    if constexpr (halves > 1) zero_tile<2>();
    if constexpr (halves > 1 && panels > 1) zero_tile<3>();
    const uint16_t* copy = product_.positions + group.start * product_.position_values;
    const uint16_t* weights = product_.weights + panel * panel_values_;
    const int64_t steps = product_.steps;
    const int64_t position_bytes = product_.position_values * 2;
    const int64_t at_once = (waiting_.positions + steps - 1) / steps;
    for (int64_t step = 0; step < steps; ++step, weights += bf16_step_values) {
      const uint16_t* from = copy + product_.offsets[step];
      load_tile<6>(weights, line);
      if constexpr (panels > 1) load_tile<7>(weights + panel_values_, line);
      load_tile<4>(from, position_bytes);
      add_bf16<0, 4, 6>();
      if constexpr (panels > 1) add_bf16<1, 4, 7>();
      if constexpr (halves > 1) {
        load_tile<5>(from + tile_rows * product_.position_values, position_bytes);
        add_bf16<2, 5, 6>();
        if constexpr (panels > 1) add_bf16<3, 5, 7>();
      }
      prefetch_next();
      finish_waiting(at_once);
    }
    finish_waiting(waiting_.positions);
    float* sums = sums_[next_];
    constexpr int64_t stride = sums_stride * 4;
    store_tile<0>(sums, stride);
    if constexpr (panels > 1) store_tile<1>(sums + tile_lanes, stride);
    float* second = sums + tile_rows * sums_stride;
    if constexpr (halves > 1) store_tile<2>(second, stride);
    if constexpr (halves > 1 && panels > 1) store_tile<3>(second + tile_lanes, stride);
    waiting_ = {sums, group.pixels, halves * tile_rows, panel, panels};
    next_ = 1 - next_;
  }

  const Bf16ConvProduct& product_;
  int64_t panel_values_;
  const char* prefetch_ = nullptr;
  const char* prefetch_end_ = nullptr;
  int64_t prefetched_lines_ = 0;
  PendingPositions waiting_ = {};
  int next_ = 0;
  alignas(64) float sums_[2][bf16_group_positions * sums_stride];
};

void multiply_conv(const Bf16ConvProduct& product) {
  ConvMultiplier(product).run();
}

}  // namespace

const Bf16ConvFunctions bf16_conv_functions = {
    .round_row = bf16::round_row, .copy_row = bf16::copy_row, .multiply = multiply_conv};

}  // namespace ortool::cpu::amxbf16
