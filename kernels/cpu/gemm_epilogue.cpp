// The finishing step of a product done apart from the register tile, for edges and thin products.
#include "kernels/cpu/gemm_epilogue.hpp"

namespace ortool::cpu {
namespace {

// Written so that NaN passes: every comparison with it is false.
inline float activate(float x, Activation activation, float low, float high) {
  switch (activation) {
    case Activation::relu:
      return 0.0F > x ? 0.0F : x;
    case Activation::clip: {
      const float raised = low > x ? low : x;
      return high < raised ? high : raised;
    }
    case Activation::leaky_relu:
      return x < 0.0F ? x * low : x;
    case Activation::hard_swish: {
      const float gate = x * low + high;
      const float capped = 1.0F < gate ? 1.0F : gate;
      return x * (0.0F > capped ? 0.0F : capped);
    }
    default:
      return x;
  }
}

void finish_row(const GemmTile& tile, std::int64_t row, const float* sums, float* out) {
  const std::int64_t columns = tile.columns;
  const float* added = nullptr;
  if (tile.addend == Addend::per_column) added = tile.added;
  if (tile.addend == Addend::full) added = tile.added + row * tile.added_stride;
  float constant = 0.0F;
  const bool adds_constant = tile.addend == Addend::per_row || tile.addend == Addend::scalar;
  if (tile.addend == Addend::per_row) constant = tile.added[row * tile.added_stride] * tile.beta;
  if (tile.addend == Addend::scalar) constant = tile.added[0] * tile.beta;
  const float* residual =
      tile.residual == nullptr ? nullptr : tile.residual + row * tile.residual_stride;
  for (std::int64_t column = 0; column < columns; ++column) {
    float value = sums[column];
    if (tile.alpha != 1.0F) value *= tile.alpha;
    if (adds_constant) value += constant;
    if (added != nullptr) value += added[column] * tile.beta;
    if (residual != nullptr) value += residual[column];
    out[column] = activate(value, tile.activation, tile.low, tile.high);
  }
}

}  // namespace

void finish_tile(const GemmTile& tile, const float* sums, std::int64_t sums_stride) {
  for (std::int64_t row = 0; row < tile.rows; ++row) {
    finish_row(tile, row, sums + row * sums_stride, tile.c + row * tile.c_stride);
  }
}

void run_partial_tile(const GemmTile& tile, const GemmFunctions& functions) {
  constexpr std::int64_t most_rows = 16;
  constexpr std::int64_t most_columns = 32;
  alignas(64) float sums[most_rows * most_columns];
  GemmTile whole = tile;
  whole.c = sums;
  whole.c_stride = functions.panel_columns;
  whole.finish = 0;
  if (tile.accumulate != 0) {
    for (std::int64_t row = 0; row < tile.rows; ++row) {
      for (std::int64_t column = 0; column < functions.panel_columns; ++column) {
        sums[row * whole.c_stride + column] =
            column < tile.columns ? tile.c[row * tile.c_stride + column] : 0.0F;
      }
    }
  }
  functions.tile(whole);
  if (tile.finish != 0) {
    finish_tile(tile, sums, whole.c_stride);
    return;
  }
  for (std::int64_t row = 0; row < tile.rows; ++row) {
    for (std::int64_t column = 0; column < tile.columns; ++column) {
      tile.c[row * tile.c_stride + column] = sums[row * whole.c_stride + column];
    }
  }
}

}  // namespace ortool::cpu
