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
void multiply_positions(const Bf16ConvProduct& product, const uint16_t* copy,
                        const uint16_t* weights, float* out) {
  constexpr int positions = tile_positions;
  __m512 sums[size_t{positions}][size_t{panels}];
#pragma GCC unroll 8
  for (int i = 0; i < positions; ++i) {
#pragma GCC unroll 3
    for (int panel = 0; panel < panels; ++panel) sums[i][panel] = _mm512_setzero_ps();
  }
  const int64_t panel_values = product.steps * bf16_step_values;
  const int64_t position = product.position_values;
  for (int64_t step = 0; step < product.steps; ++step) {
    const uint16_t* from = copy + product.offsets[step];
    for (int64_t pair = 0; pair < bf16_step / 2; ++pair, weights += 2 * bf16_panel_columns) {
      __m512bh columns[size_t{panels}];
#pragma GCC unroll 3
      for (int panel = 0; panel < panels; ++panel) {
        columns[panel] =
            reinterpret_cast<__m512bh>(_mm512_loadu_si512(weights + panel * panel_values));
      }
#pragma GCC unroll 8
      for (int i = 0; i < positions; ++i) {
        const __m512bh factor = splat_channels(from + i * position + pair * 2);
#pragma GCC unroll 3
        for (int panel = 0; panel < panels; ++panel)
          sums[i][panel] = _mm512_dpbf16_ps(sums[i][panel], factor, columns[panel]);
      }
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < positions; ++i) {
#pragma GCC unroll 3
    for (int panel = 0; panel < panels; ++panel)
      _mm512_storeu_ps(out + i * sums_stride + panel * bf16_panel_columns, sums[i][panel]);
  }
}

bool has_pixel(const int32_t* pixels) {
  for (int64_t i = 0; i < tile_positions; ++i) {
    if (pixels[i] >= 0) return true;
  }
  return false;
}

void multiply(const Bf16ConvProduct& product) {
  alignas(64) float sums[tile_positions * sums_stride];
  const int64_t panel_values = product.steps * bf16_step_values;
  for (int64_t panel = product.panel_begin; panel < product.panel_end; panel += tile_panels) {
    const int64_t left = product.panel_end - panel;
    const int64_t panels = left < tile_panels ? left : tile_panels;
    const uint16_t* weights = product.weights + panel * panel_values;
    for (int64_t index = 0; index < product.group_count; ++index) {
      const Bf16Positions& group = product.groups[index];
      for (int64_t first = 0; first < bf16_group_positions; first += tile_positions) {
        const int32_t* pixels = group.pixels + first;
        if (!has_pixel(pixels)) continue;
        const uint16_t* copy = product.copy + (group.start + first) * product.position_values;
        if (panels == 3) {
          multiply_positions<3>(product, copy, weights, sums);
        } else if (panels == 2) {
          multiply_positions<2>(product, copy, weights, sums);
        } else {
          multiply_positions<1>(product, copy, weights, sums);
        }
        finish_positions(product, {sums, sums_stride, pixels, tile_positions, panel, panels});
      }
    }
  }
}

}  // namespace

const Bf16ConvFunctions bf16_conv_functions = {
    .round_row = round_row, .copy_row = copy_row, .multiply = multiply};

}  // namespace ortool::cpu::bf16
