// Portable float32 GEMM microkernel: up to 4 rows by 8 columns, written for auto-vectorization.
#include "kernels/cpu/epilogue/activation_rows.hpp"
#include "kernels/cpu/gemm/f32/epilogue.hpp"
#include "kernels/cpu/gemm/f32/microkernel.hpp"
#include "kernels/cpu/gemm/f32/pack.hpp"

namespace ortool::cpu::baseline {
namespace {

using Vector = float __attribute__((vector_size(16)));

inline Vector load(const float* from) {
  Vector value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}

template <int rows, int vectors>
void run(const GemmTile& tile) {
  Vector sums[std::size_t{rows}][std::size_t{vectors}] = {};
  if (tile.accumulate != 0) {
    for (int row = 0; row < rows; ++row) {
      for (int v = 0; v < vectors; ++v) sums[row][v] = load(tile.c + row * tile.c_stride + v * 4);
    }
  }
  const float* a = tile.a;
  const float* b = tile.b;
  const std::int64_t a_row = tile.a_stride == 0 ? 1 : tile.a_stride;
  const std::int64_t a_step = tile.a_stride == 0 ? rows : 1;
  for (std::int64_t k = 0; k < tile.k; ++k) {
    Vector columns[std::size_t{vectors}];
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) columns[v] = load(b + v * 4);
#pragma GCC unroll 4
    for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) sums[row][v] += a[row * a_row] * columns[v];
    }
    a += a_step;
    b += tile.b_stride;
  }
  for (int row = 0; row < rows; ++row) {
    float* to = tile.c + row * tile.c_stride;
    for (int v = 0; v < vectors; ++v) __builtin_memcpy(to + v * 4, &sums[row][v], sizeof(Vector));
  }
  if (tile.finish != 0) apply_epilogue(tile, tile.c, tile.c_stride);
}

using Run = void (*)(const GemmTile& tile);

constexpr Run runs[2][4] = {{run<1, 1>, run<2, 1>, run<3, 1>, run<4, 1>},
                            {run<1, 2>, run<2, 2>, run<3, 2>, run<4, 2>}};

void run_tile(const GemmTile& tile) {
  runs[tile.wide][tile.rows - 1](tile);
}

}  // namespace

const GemmFunctions gemm_functions = {.max_rows = 4,
                                      .panel_columns = 8,
                                      .partial_columns = 0,
                                      .tile = run_tile,
                                      .pack_transposed = pack_transposed,
                                      .pack_rows = pack_rows,
                                      .dot_rows = dot_rows,
                                      .activate = activate_rows,
                                      .skinny = skinny_product,
                                      .skinny_pair = skinny_pair,
                                      .row_transposed = row_transposed};

}  // namespace ortool::cpu::baseline
