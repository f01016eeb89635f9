// Bfloat16 GEMM microkernel for AVX512-BF16: 8 rows by 48 columns in 24 accumulators.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/cpu/gemm/bf16/microkernel.hpp"
#include "kernels/cpu/gemm/bf16/pack.hpp"

#define ORTOOL_ISA bf16
#include "kernels/cpu/gemm/bf16/epilogue.inc"

namespace ortool::cpu::bf16 {
namespace {

constexpr int64_t tile_rows = 8;
constexpr int64_t tile_panels = 3;
constexpr int64_t sums_stride = tile_panels * bf16_panel_columns;

/// Two values of one row, in all lanes.
inline __m512bh splat_pair(const uint16_t* from) {
  int32_t pair;
  memcpy(&pair, from, sizeof pair);
  return reinterpret_cast<__m512bh>(_mm512_set1_epi32(pair));
}

template <int rows, int panels>
void multiply_tile(const uint16_t* a, const uint16_t* b, int64_t steps, float* out) {
  __m512 sums[size_t{rows}][size_t{panels}];
#pragma GCC unroll 8
  for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 3
    for (int panel = 0; panel < panels; ++panel) sums[row][panel] = _mm512_setzero_ps();
  }
  const int64_t panel_values = steps * bf16_step_values;
  for (int64_t step = 0; step < steps; ++step, a += bf16_step_values) {
    for (int64_t pair = 0; pair < bf16_step / 2; ++pair, b += 2 * bf16_panel_columns) {
      __m512bh columns[size_t{panels}];
#pragma GCC unroll 3
      for (int panel = 0; panel < panels; ++panel)
        columns[panel] = reinterpret_cast<__m512bh>(_mm512_loadu_si512(b + panel * panel_values));
#pragma GCC unroll 8
      for (int row = 0; row < rows; ++row) {
        const __m512bh factor = splat_pair(a + row * bf16_step + pair * 2);
#pragma GCC unroll 3
        for (int panel = 0; panel < panels; ++panel)
          sums[row][panel] = _mm512_dpbf16_ps(sums[row][panel], factor, columns[panel]);
      }
    }
  }
#pragma GCC unroll 8
  for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 3
    for (int panel = 0; panel < panels; ++panel)
      _mm512_storeu_ps(out + row * sums_stride + panel * bf16_panel_columns, sums[row][panel]);
  }
}

using MultiplyTile = void (*)(const uint16_t* a, const uint16_t* b, int64_t steps, float* out);

template <int rows>
constexpr MultiplyTile by_panels[] = {multiply_tile<rows, 1>, multiply_tile<rows, 2>,
                                      multiply_tile<rows, 3>};

/// Missing rows of a block are zero, so a tile may have more rows than are stored.
MultiplyTile tile_of(int64_t rows, int64_t panels) {
  if (rows > 4) return by_panels<8>[panels - 1];
  if (rows > 2) return by_panels<4>[panels - 1];
  return rows > 1 ? by_panels<2>[panels - 1] : by_panels<1>[panels - 1];
}

void multiply(const Bf16Product& product) {
  alignas(64) float sums[tile_rows * sums_stride];
  const int64_t panel_values = product.steps * bf16_step_values;
  for (int64_t panel = product.panel_begin; panel < product.panel_end; panel += tile_panels) {
    const int64_t left = product.panel_end - panel;
    const int64_t panels = left < tile_panels ? left : tile_panels;
    const int64_t first = panel * bf16_panel_columns;
    const int64_t columns_left = product.columns - first;
    const int64_t columns =
        columns_left < panels * bf16_panel_columns ? columns_left : panels * bf16_panel_columns;
    for (int64_t row = product.row_begin; row < product.row_end; row += tile_rows) {
      const int64_t rows_left = product.row_end - row;
      const int64_t rows = rows_left < tile_rows ? rows_left : tile_rows;
      const uint16_t* a =
          product.a + row / bf16_block_rows * panel_values + row % bf16_block_rows * bf16_step;
      tile_of(rows, panels)(a, product.b + panel * panel_values, product.steps, sums);
      finish_block(product, {sums, sums_stride, row, rows, first, columns});
    }
  }
}

/// Enough independent accumulators to hide the latency of the instruction.
constexpr int chains = 12;

float multiply_registers(int64_t rounds) {
  __m512 sums[chains];
  for (int i = 0; i < chains; ++i) sums[i] = _mm512_set1_ps(static_cast<float>(i));
  const auto ones = reinterpret_cast<__m512bh>(_mm512_set1_epi16(0x3F80));
  for (int64_t round = 0; round < rounds; ++round) {
    for (int i = 0; i < chains; ++i) sums[i] = _mm512_dpbf16_ps(sums[i], ones, ones);
  }
  for (int i = 1; i < chains; ++i) sums[0] = _mm512_add_ps(sums[0], sums[i]);
  float values[16];
  _mm512_storeu_ps(values, sums[0]);
  return values[0];
}

}  // namespace

const Bf16GemmFunctions bf16_gemm_functions = {.pack_rows = pack_rows,
                                               .pack_columns = pack_columns,
                                               .pack_transposed = pack_transposed,
                                               .multiply = multiply,
                                               .multiply_registers = multiply_registers,
                                               .flops_per_round = 2.0 * chains * 32};

}  // namespace ortool::cpu::bf16
