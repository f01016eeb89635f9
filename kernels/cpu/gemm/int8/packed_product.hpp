// Products of packed int8 matrices, one column panel at a time, with an epilogue.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/cpu/epilogue/quantize_rows.hpp"
#include "kernels/cpu/epilogue/requantize.hpp"
#include "kernels/cpu/gemm/int8/microkernel.hpp"

namespace ortool::cpu {

/// Recomputes requantized values of a row that are at rounding ties.
class RowTieResolver {
 public:
  virtual ~RowTieResolver() = default;
  /// For columns [first, first + count) of `row`.
  virtual void resolve(std::int64_t row, std::int64_t first, std::int64_t count,
                       const std::int32_t* sums, std::uint8_t* out) const = 0;
};

/// Zero-point correction: sum(row, column) += rows[row] * columns[column], modulo 2^32.
struct ZeroPointTerm {
  const std::int32_t* rows;     ///< of the whole product
  const std::int32_t* columns;  ///< of the current panel
};

/// Requantization functions of an instruction set: of single rows, where rows are channels, and of
/// blocks, where columns are.
struct RequantizeFunctions {
  const QuantizeFunctions* rows = nullptr;
  RequantizeFunction columns = nullptr;

  static RequantizeFunctions of(Isa isa) {
    return {&quantize_functions(isa), requantize_function(isa)};
  }
};

/// Adds zero-point corrections and applies the epilogue: to int32; as RequantizeFunction does; or,
/// if rows are channels, to int8 by offsets and scales only, with `ties` (may be null) for results
/// near a rounding tie. `outers` start at column block.column.
void requantize_accumulators(const RequantizeFunctions& functions, const Epilogue& epilogue,
                             std::span<const ZeroPointTerm> zero_point_terms,
                             const AccumulatorBlock& block, const RowTieResolver* ties = nullptr);

/// The left operand and the epilogue. Row panel p starts at a + p * max_rows * steps.
struct Int8PackedProduct {
  const Int8GemmFunctions* tile = nullptr;
  RequantizeFunctions functions;
  bool has_unsigned_rows = false;
  std::int64_t steps = 0;
  std::int64_t rows = 0;
  const std::int32_t* a = nullptr;
  const std::int32_t* starts = nullptr;  ///< of signed rows (Int8Tile::starts)
  Epilogue epilogue;
  void* out = nullptr;  ///< of the epilogue's output type
  std::int64_t out_stride = 0;
  const RowTieResolver* ties = nullptr;  ///< for int8 output by rows; null: none

  std::int64_t row_panels() const { return (rows + tile->max_rows - 1) / tile->max_rows; }
};

/// Columns [first, first + count) packed at `words`, with `stored` words per step.
struct Int8Panel {
  const std::int32_t* words;
  std::int64_t stored;
  std::int64_t first;
  std::int64_t count;                    ///< at most max_columns of the tile
  std::int64_t prefetch_bytes = 0;       ///< bytes past the panel to prefetch meanwhile
  const std::int32_t* starts = nullptr;  ///< of signed columns (Int8Tile::starts)
};

/// Words per step of a panel with `columns` columns.
inline std::int64_t stored_columns(const Int8GemmFunctions& tile, std::int64_t columns) {
  return (columns + tile.lanes - 1) / tile.lanes * tile.lanes;
}

/// Multiplies row panels [row_begin, row_end) by one column panel.
void multiply_int8_panel(const Int8PackedProduct& product, std::int64_t row_begin,
                         std::int64_t row_end, const Int8Panel& panel,
                         std::span<const ZeroPointTerm> zero_point_terms);

}  // namespace ortool::cpu
