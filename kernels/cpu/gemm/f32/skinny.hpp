// Skinny products, of few rows or columns: limits, tasks, and epilogues of regions of the result.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/gemm/f32/epilogue.hpp"
#include "kernels/cpu/gemm/f32/packed_product.hpp"

namespace ortool::cpu {

constexpr std::int64_t float_bytes = 4;
/// Up to this many rows, register tiles are not worthwhile, and b is read in place rather than
/// packed for a single use.
constexpr std::int64_t skinny_rows = 4;

/// Rows or columns per task of a skinny product: about 64 KiB of the large operand.
inline std::int64_t skinny_grain(std::int64_t k, std::int64_t multiple) {
  const std::int64_t items = 64 * 1024 / (float_bytes * std::max<std::int64_t>(k, 1));
  return std::max<std::int64_t>(1, items / multiple) * multiple;
}

/// A tile that describes the region of c at (row, column), for apply_epilogue.
inline GemmTile result_region(const Epilogue& epilogue, float* c, std::int64_t c_stride,
                              std::int64_t row, std::int64_t rows, std::int64_t column,
                              std::int64_t columns) {
  GemmTile tile = {};
  set_epilogue(tile, epilogue, row, column);
  tile.c = c + row * c_stride + column;
  tile.c_stride = c_stride;
  tile.rows = static_cast<std::int32_t>(rows);
  tile.columns = static_cast<std::int32_t>(columns);
  return tile;
}

inline void finish_sums(const GemmTile& tile, const float* sums, std::int64_t sums_stride,
                        const GemmFunctions& functions) {
  apply_epilogue(tile, sums, sums_stride);
  apply_activation(tile, functions);
}

}  // namespace ortool::cpu
