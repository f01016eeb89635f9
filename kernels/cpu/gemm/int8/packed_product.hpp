// Products of packed int8 matrices, a panel of columns at a time, with an epilogue.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/cpu/epilogue/quantize_rows.hpp"
#include "kernels/cpu/epilogue/requantize.hpp"
#include "kernels/cpu/gemm/int8/microkernel.hpp"

namespace ortool::cpu {

/// Decides again the bytes of a row of sums some of which lie near a half.
class RowTieResolver {
 public:
  virtual ~RowTieResolver() = default;
  /// Of columns [first, first + count) of `row`.
  virtual void settle(std::int64_t row, std::int64_t first, std::int64_t count,
                      const std::int32_t* sums, std::uint8_t* out) const = 0;
};

/// What becomes of the sums. Arrays have an element a row or column of the whole product.
struct Int8ProductEpilogue {
  enum class Kind {
    sums,          ///< int32: sum + offset
    bytes_by_row,  ///< requantised with offsets and scales of rows
    by_column,     ///< what `finish` says
  };
  Kind kind = Kind::sums;
  const std::int32_t* row_offsets = nullptr;     ///< null: none
  const std::int32_t* column_offsets = nullptr;  ///< null: none (kind sums only)
  const float* scales = nullptr;                 ///< bytes_by_row only
  Int8Range range = {};
  void* out = nullptr;  ///< bytes or int32
  std::int64_t out_stride = 0;
  const RowTieResolver* tie_resolver = nullptr;  ///< of bytes_by_row; null: none
  Int8Epilogue finish = {};                      ///< of by_column, with its own result
};

/// sum(row, column) += rows[row] * columns[column], modulo 2^32: how zero points enter.
struct ByteOuter {
  const std::int32_t* rows;     ///< of the whole product
  const std::int32_t* columns;  ///< of the panel at hand
};

/// What a level does with sums.
struct Int8EpilogueFunctions {
  const QuantizeFunctions* rows = nullptr;
  RequantizeFunction by_column = nullptr;

  static Int8EpilogueFunctions of(Isa isa) {
    return {&quantize_functions(isa), requantize_function(isa)};
  }
};

/// Adds what zero points ask for, where there is anything, and does with the sums what the epilogue
/// says. `outers` have the columns from block.column on.
void requantize_accumulators(const Int8EpilogueFunctions& functions,
                             const Int8ProductEpilogue& epilogue, std::span<const ByteOuter> outers,
                             const AccumulatorBlock& block);

/// The left factor and the kind of result. Panel p of rows lies at a + p * most_rows * steps.
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

/// Columns [first, first + count) packed at `words`, `stored` words a step.
struct Int8Panel {
  const std::int32_t* words;
  std::int64_t stored;
  std::int64_t first;
  std::int64_t count;           ///< at most most_columns of the tile
  std::int64_t near_bytes = 0;  ///< behind the panel that are brought near meanwhile
};

/// The words a step that a panel of so many columns takes.
inline std::int64_t stored_columns(const Int8GemmFunctions& tile, std::int64_t columns) {
  return (columns + tile.lanes - 1) / tile.lanes * tile.lanes;
}

/// Row panels [row_begin, row_end) by one panel of columns.
void multiply_int8_panel(const Int8PackedProduct& product, std::int64_t row_begin,
                         std::int64_t row_end, const Int8Panel& panel,
                         std::span<const ByteOuter> outers);

}  // namespace ortool::cpu
