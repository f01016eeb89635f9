// Bfloat16 NCHW16c convolution microkernel for AVX512-BF16: 8 positions by 48 channels in 24
// accumulators.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/cpu/conv/bf16_nchwc/copy_row.hpp"
#include "kernels/cpu/conv/bf16_nchwc/microkernel.hpp"

#define ORTOOL_ISA bf16
#include "kernels/cpu/conv/bf16_nchwc/epilogue.inc"

namespace ortool::cpu::bf16 {
namespace {

constexpr int64_t tile_positions = 8;
constexpr int64_t tile_panels = 3;
constexpr int64_t sums_stride = tile_panels * bf16_panel_columns;

/// Two channels of one position, in all lanes.
inline __m512bh splat_channels(const uint16_t* from) {
  int32_t pair;
  memcpy(&pair, from, sizeof pair);
  return reinterpret_cast<__m512bh>(_mm512_set1_epi32(pair));
}

template <int panels>
using PositionTile = __m512[size_t{tile_positions}][size_t{panels}];

/// Applies `change(sum, position, panel)` to all sums of a tile.
template <int panels, typename Change>
inline __attribute__((always_inline)) void for_each_sum(PositionTile<panels>& sums, Change change) {
#pragma GCC unroll 8
  for (int i = 0; i < tile_positions; ++i) {
#pragma GCC unroll 3
    for (int v = 0; v < panels; ++v) sums[i][v] = change(sums[i][v], i, v);
  }
}

/// The epilogue of a tile without leaving registers. NaN is the second operand of minima and
/// maxima, which return it.
template <int panels>
inline __attribute__((always_inline)) void clamp_and_store(const Bf16ConvProduct& product,
                                                           PositionTile<panels>& sums,
                                                           const int32_t* pixels, int64_t panel) {
  const auto place = [&](int i, int v) {
    return (panel + v) * product.panel_stride + pixels[i] * bf16_panel_columns;
  };
  if (product.bias != nullptr) {
    const float* bias = product.bias + panel * bf16_panel_columns;
    for_each_sum<panels>(sums, [&](__m512 sum, int, int v) {
      return _mm512_add_ps(sum, _mm512_loadu_ps(bias + v * bf16_panel_columns));
    });
  }
  if (product.residual != nullptr) {
    for_each_sum<panels>(sums, [&](__m512 sum, int i, int v) {
      return _mm512_add_ps(sum, _mm512_loadu_ps(product.residual + place(i, v)));
    });
  }
  if (product.residual_bfloat16 != nullptr) {
    for_each_sum<panels>(sums, [&](__m512 sum, int i, int v) {
      return _mm512_add_ps(
          sum, static_cast<__m512>(load_bfloat16(product.residual_bfloat16 + place(i, v))));
    });
  }
  if (product.activation != Activation::none) {
    const __m512 low = _mm512_set1_ps(product.activation == Activation::relu ? 0.0F : product.low);
    const __m512 high =
        _mm512_set1_ps(product.activation == Activation::relu ? __builtin_inff() : product.high);
    for_each_sum<panels>(
        sums, [&](__m512 sum, int, int) { return _mm512_min_ps(high, _mm512_max_ps(low, sum)); });
  }
  if (product.y_bfloat16 != nullptr) {
    for_each_sum<panels>(sums, [&](__m512 sum, int i, int v) {
      store_bfloat16(product.y_bfloat16 + place(i, v), Floats(sum));
      return sum;
    });
  } else {
    for_each_sum<panels>(sums, [&](__m512 sum, int i, int v) {
      _mm512_storeu_ps(product.y + place(i, v), sum);
      return sum;
    });
  }
}

bool is_clamp(Activation activation) {
  return activation == Activation::none || activation == Activation::relu ||
         activation == Activation::clip;
}

/// Sums of a tile's positions, finished and stored if `out` is null.
template <int panels>
void multiply_positions(const Bf16ConvProduct& product, const uint16_t* input,
                        const uint16_t* weights, const int32_t* pixels, int64_t panel, float* out) {
  constexpr int positions = tile_positions;
  PositionTile<panels> sums;
#pragma GCC unroll 8
  for (int i = 0; i < positions; ++i) {
#pragma GCC unroll 3
    for (int v = 0; v < panels; ++v) sums[i][v] = _mm512_setzero_ps();
  }
  const int64_t panel_values = product.panel_values;
  const int64_t position = product.position_values;
  const int64_t step_values = product.step_pairs * 2 * bf16_panel_columns;
  int64_t left = product.chunks;  // steps of the tap
  for (int64_t step = 0; step < product.steps; ++step, weights += step_values) {
    const uint16_t* from = input + product.offsets[step];
    const bool is_last = --left == 0;
    if (is_last) left = product.chunks;
    const int64_t pairs = is_last ? product.last_pairs : product.step_pairs;
    for (int64_t pair = 0; pair < pairs; ++pair) {
      __m512bh columns[size_t{panels}];
#pragma GCC unroll 3
      for (int v = 0; v < panels; ++v) {
        columns[v] = reinterpret_cast<__m512bh>(
            _mm512_loadu_si512(weights + v * panel_values + pair * 2 * bf16_panel_columns));
      }
#pragma GCC unroll 8
      for (int i = 0; i < positions; ++i) {
        const __m512bh factor = splat_channels(from + i * position + pair * 2);
#pragma GCC unroll 3
        for (int v = 0; v < panels; ++v)
          sums[i][v] = _mm512_dpbf16_ps(sums[i][v], factor, columns[v]);
      }
    }
  }
  if (out == nullptr) return clamp_and_store<panels>(product, sums, pixels, panel);
#pragma GCC unroll 8
  for (int i = 0; i < positions; ++i) {
#pragma GCC unroll 3
    for (int v = 0; v < panels; ++v)
      _mm512_storeu_ps(out + i * sums_stride + v * bf16_panel_columns, sums[i][v]);
  }
}

int64_t count_pixels(const int32_t* pixels) {
  int64_t count = 0;
  for (int64_t i = 0; i < tile_positions; ++i) count += pixels[i] >= 0 ? 1 : 0;
  return count;
}

void multiply(const Bf16ConvProduct& product) {
  alignas(64) float sums[tile_positions * sums_stride];
  const bool can_clamp = is_clamp(product.activation);
  for (int64_t panel = product.panel_begin; panel < product.panel_end; panel += tile_panels) {
    const int64_t left = product.panel_end - panel;
    const int64_t panels = left < tile_panels ? left : tile_panels;
    const uint16_t* weights = product.weights + panel * product.panel_values;
    for (int64_t index = 0; index < product.group_count; ++index) {
      const Bf16Positions& group = product.groups[index];
      for (int64_t first = 0; first < bf16_group_positions; first += tile_positions) {
        const int32_t* pixels = group.pixels + first;
        const int64_t there = count_pixels(pixels);
        if (there == 0) continue;
        float* const out = can_clamp && there == tile_positions ? nullptr : sums;
        const uint16_t* from = product.positions + (group.start + first) * product.position_values;
        if (panels == 3) {
          multiply_positions<3>(product, from, weights, pixels, panel, out);
        } else if (panels == 2) {
          multiply_positions<2>(product, from, weights, pixels, panel, out);
        } else {
          multiply_positions<1>(product, from, weights, pixels, panel, out);
        }
        if (out != nullptr)
          finish_positions(product, {sums, sums_stride, pixels, tile_positions, panel, panels});
      }
    }
  }
}

}  // namespace

const Bf16ConvFunctions bf16_conv_functions = {
    .round_row = round_row, .copy_row = copy_row, .multiply = multiply};

}  // namespace ortool::cpu::bf16
