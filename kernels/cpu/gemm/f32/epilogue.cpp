// GEMM epilogue outside the microkernel, for edge tiles and skinny products.
#include "kernels/cpu/gemm/f32/epilogue.hpp"

namespace ortool::cpu {
namespace {

// One loop per step for auto-vectorization; comparisons are written so that NaN propagates.
void activate_row(const Epilogue& epilogue, std::int64_t columns, float* row) {
  const float low = epilogue.low;
  const float high = epilogue.high;
  switch (epilogue.activation) {
    case Activation::relu:
      for (std::int64_t i = 0; i < columns; ++i) row[i] = 0.0F > row[i] ? 0.0F : row[i];
      return;
    case Activation::clip:
      for (std::int64_t i = 0; i < columns; ++i) {
        const float raised = low > row[i] ? low : row[i];
        row[i] = high < raised ? high : raised;
      }
      return;
    case Activation::leaky_relu:
      for (std::int64_t i = 0; i < columns; ++i) row[i] = row[i] < 0.0F ? row[i] * low : row[i];
      return;
    case Activation::hard_swish:
      for (std::int64_t i = 0; i < columns; ++i) {
        const float gate = row[i] * low + high;
        const float capped = 1.0F < gate ? 1.0F : gate;
        row[i] *= 0.0F > capped ? 0.0F : capped;
      }
      return;
    default:
      return;
  }
}

void finish_row(const GemmTile& tile, std::int64_t row, const float* sums, float* out) {
  const Epilogue& epilogue = *tile.epilogue;
  const std::int64_t columns = tile.columns;
  const float alpha = epilogue.alpha;
  const float beta = epilogue.beta;
  if (alpha != 1.0F) {
    for (std::int64_t i = 0; i < columns; ++i) out[i] = sums[i] * alpha;
  } else if (sums != out) {
    for (std::int64_t i = 0; i < columns; ++i) out[i] = sums[i];
  }
  if (epilogue.addend == Addend::per_row || epilogue.addend == Addend::scalar) {
    const std::int64_t at = epilogue.addend == Addend::per_row ? row : 0;
    const float constant = tile.added[at] * beta;
    for (std::int64_t i = 0; i < columns; ++i) out[i] += constant;
  } else if (epilogue.addend != Addend::none) {
    const std::int64_t at = epilogue.addend == Addend::full ? row * epilogue.added_stride : 0;
    const float* added = tile.added + at;
    for (std::int64_t i = 0; i < columns; ++i) out[i] += added[i] * beta;
  }
  if (tile.residual != nullptr) {
    const float* residual = tile.residual + row * epilogue.residual_stride;
    for (std::int64_t i = 0; i < columns; ++i) out[i] += residual[i];
  }
  activate_row(epilogue, columns, out);
}

}  // namespace

void apply_epilogue(const GemmTile& tile, const float* sums, std::int64_t sums_stride) {
  for (std::int64_t row = 0; row < tile.rows; ++row) {
    finish_row(tile, row, sums + row * sums_stride, tile.c + row * tile.c_stride);
  }
}

void run_partial_tile(const GemmTile& tile, const GemmFunctions& functions) {
  constexpr std::int64_t max_rows = 16;
  constexpr std::int64_t max_columns = 32;
  alignas(64) float sums[max_rows * max_columns];
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
    apply_epilogue(tile, sums, whole.c_stride);
    return;
  }
  for (std::int64_t row = 0; row < tile.rows; ++row) {
    for (std::int64_t column = 0; column < tile.columns; ++column) {
      tile.c[row * tile.c_stride + column] = sums[row * whole.c_stride + column];
    }
  }
}

}  // namespace ortool::cpu
