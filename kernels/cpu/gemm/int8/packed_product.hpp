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
  virtual void settle(std::int64_t row, std::int64_t first, std::int64_t count,
                      const std::int32_t* sums, std::uint8_t* out) const = 0;
};

/// Epilogue of a product. Arrays have one element per row or column of the whole product.
struct Int8ProductEpilogue {
  enum class Kind {
    sums,          ///< int32: sum + offset
    bytes_by_row,  ///< requantized with per-row offsets and scales
    by_column,     ///< as specified by `finish`
  };
  Kind kind = Kind::sums;
  const std::int32_t* row_offsets = nullptr;     ///< null: none
  const std::int32_t* column_offsets = nullptr;  ///< null: none (kind sums only)
  const float* scales = nullptr;                 ///< bytes_by_row only
  Int8Range range = {};
  void* out = nullptr;  ///< int8 or int32
  std::int64_t out_stride = 0;
  const RowTieResolver* tie_resolver = nullptr;  ///< for bytes_by_row; null: none
  Int8Epilogue finish = {};                      ///< for by_column, with its own output
};

/// Zero-point correction: sum(row, column) += rows[row] * columns[column], modulo 2^32.
struct ByteOuter {
  const std::int32_t* rows;     ///< of the whole product
  const std::int32_t* columns;  ///< of the current panel
};

/// Epilogue functions of an instruction set.
struct Int8EpilogueFunctions {
  const QuantizeFunctions* rows = nullptr;
  RequantizeFunction by_column = nullptr;

  static Int8EpilogueFunctions of(Isa isa) {
    return {&quantize_functions(isa), requantize_function(isa)};
  }
};

/// Adds zero-point corrections and applies the epilogue. `outers` start at column block.column.
void requantize_accumulators(const Int8EpilogueFunctions& functions,
                             const Int8ProductEpilogue& epilogue, std::span<const ByteOuter> outers,
                             const AccumulatorBlock& block);

/// The left operand and the epilogue. Row panel p starts at a + p * most_rows * steps.
struct Int8PackedProduct {
  const Int8GemmFunctions* tile = nullptr;
  Int8EpilogueFunctions finish;
  bool has_unsigned_rows = false;
  std::int64_t steps = 0;
  std::int64_t rows = 0;
  const std::int32_t* a = nullptr;
  Int8ProductEpilogue epilogue;

  std::int64_t row_panels() const { return (rows + tile->most_rows - 1) / tile->most_rows; }
};

/// Columns [first, first + count) packed at `words`, with `stored` words per step.
struct Int8Panel {
  const std::int32_t* words;
  std::int64_t stored;
  std::int64_t first;
  std::int64_t count;           ///< at most most_columns of the tile
  std::int64_t near_bytes = 0;  ///< bytes past the panel to prefetch meanwhile
};

/// Words per step of a panel with `columns` columns.
inline std::int64_t stored_columns(const Int8GemmFunctions& tile, std::int64_t columns) {
  return (columns + tile.lanes - 1) / tile.lanes * tile.lanes;
}

/// Multiplies row panels [row_begin, row_end) by one column panel.
void multiply_int8_panel(const Int8PackedProduct& product, std::int64_t row_begin,
                         std::int64_t row_end, const Int8Panel& panel,
                         std::span<const ByteOuter> outers);

}  // namespace ortool::cpu
