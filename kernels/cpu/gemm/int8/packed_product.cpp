// Products of packed int8 matrices: tiles go through a small buffer, so that all microkernels share
// the epilogues.
#include "kernels/cpu/gemm/int8/packed_product.hpp"

#include <algorithm>

namespace ortool::cpu {
namespace {

constexpr std::int64_t max_tile_rows = 8;
constexpr std::int64_t max_tile_columns = 48;

void add_zero_point_term(std::int32_t factor, const std::int32_t* columns, std::int64_t count,
                         std::int32_t* sums) {
  if (factor == 0) return;
  for (std::int64_t i = 0; i < count; ++i) {
    sums[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[i]) +
                                        static_cast<std::uint32_t>(factor) *
                                            static_cast<std::uint32_t>(columns[i]));
  }
}

/// Sums that stay int32.
void store_sums(const Epilogue& epilogue, const AccumulatorBlock& block, std::int64_t index) {
  const std::int32_t* sums = block.sums + index * block.sums_stride;
  const std::int64_t row = block.row + index;
  std::int32_t* to = static_cast<std::int32_t*>(block.out) + row * block.out_stride + block.column;
  const bool by_row = epilogue.channels == ChannelAxis::rows;
  if (epilogue.offsets == nullptr || by_row) {
    const auto offset = static_cast<std::uint32_t>(
        by_row && epilogue.offsets != nullptr ? epilogue.offsets[row] : 0);
    for (std::int64_t i = 0; i < block.columns; ++i)
      to[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[i]) + offset);
    return;
  }
  const std::int32_t* added = epilogue.offsets + block.column;
  for (std::int64_t i = 0; i < block.columns; ++i) {
    to[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[i]) +
                                      static_cast<std::uint32_t>(added[i]));
  }
}

void requantize_row(const QuantizeFunctions& functions, const Epilogue& epilogue,
                    const AccumulatorBlock& block, std::int64_t index, const RowTieResolver* ties) {
  const std::int32_t* sums = block.sums + index * block.sums_stride;
  const std::int64_t row = block.row + index;
  std::uint8_t* to = static_cast<std::uint8_t*>(block.out) + row * block.out_stride + block.column;
  if (functions.requantize(sums, block.columns, epilogue.offsets[row], epilogue.scales[row],
                           epilogue.range, to) &&
      ties != nullptr) {
    ties->resolve(row, block.column, block.columns, sums, to);
  }
}

}  // namespace

void requantize_accumulators(const RequantizeFunctions& functions, const Epilogue& epilogue,
                             std::span<const ZeroPointTerm> zero_point_terms,
                             const AccumulatorBlock& block, const RowTieResolver* ties) {
  for (const ZeroPointTerm& outer : zero_point_terms) {
    for (std::int64_t i = 0; i < block.rows; ++i) {
      add_zero_point_term(outer.rows[block.row + i], outer.columns, block.columns,
                          block.sums + i * block.sums_stride);
    }
  }
  if (epilogue.output == EpilogueOutput::int32) {
    for (std::int64_t i = 0; i < block.rows; ++i) store_sums(epilogue, block, i);
  } else if (epilogue.channels == ChannelAxis::columns) {
    functions.columns(epilogue, block);
  } else {
    for (std::int64_t i = 0; i < block.rows; ++i)
      requantize_row(*functions.rows, epilogue, block, i, ties);
  }
}

void multiply_int8_panel(const Int8PackedProduct& product, std::int64_t row_begin,
                         std::int64_t row_end, const Int8Panel& panel,
                         std::span<const ZeroPointTerm> zero_point_terms) {
  const Int8GemmFunctions& functions = *product.tile;
  alignas(64) std::int32_t sums[max_tile_rows * max_tile_columns];
  Int8Tile tile = {};
  tile.b = panel.words;
  tile.b_stride = panel.stored;
  tile.steps = product.steps;
  tile.c = sums;
  tile.c_stride = functions.max_columns;
  tile.vectors = static_cast<std::int32_t>(panel.stored / functions.lanes);
  tile.starts = panel.starts;
  const auto run = product.has_unsigned_rows ? functions.unsigned_rows : functions.signed_rows;
  tile.prefetch = reinterpret_cast<const std::uint8_t*>(panel.words + panel.stored * product.steps);
  const std::int64_t tiles = std::max<std::int64_t>(1, row_end - row_begin);
  tile.prefetch_lines = (panel.prefetch_bytes / 64 + tiles - 1) / tiles;
  for (std::int64_t index = row_begin; index < row_end; ++index) {
    const std::int64_t first_row = index * functions.max_rows;
    tile.a = product.a + first_row * product.steps;
    if (product.starts != nullptr) tile.starts = product.starts + first_row;
    tile.rows = static_cast<std::int32_t>(
        std::min<std::int64_t>(functions.max_rows, product.rows - first_row));
    run(tile);
    tile.prefetch += tile.prefetch_lines * 64;
    requantize_accumulators(product.functions, product.epilogue, zero_point_terms,
                            {sums, tile.c_stride, first_row, tile.rows, panel.first, panel.count,
                             product.out, product.out_stride},
                            product.ties);
  }
}

}  // namespace ortool::cpu
