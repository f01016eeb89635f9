// Sums go through a small buffer, so that all tiles share the finishing functions.
#include "kernels/cpu/byte_product.hpp"

#include <algorithm>

namespace ortool::cpu {
namespace {

constexpr std::int64_t most_tile_rows = 8;
constexpr std::int64_t most_tile_columns = 48;

void add_outer(std::int32_t factor, const std::int32_t* columns, std::int64_t count,
               std::int32_t* sums) {
  if (factor == 0) return;
  for (std::int64_t i = 0; i < count; ++i) {
    sums[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[i]) +
                                        static_cast<std::uint32_t>(factor) *
                                            static_cast<std::uint32_t>(columns[i]));
  }
}

void finish_sums(const ByteEpilogue& epilogue, std::int64_t row, std::int64_t first,
                 std::int64_t count, const std::int32_t* sums) {
  std::int32_t* to = static_cast<std::int32_t*>(epilogue.out) + row * epilogue.out_stride + first;
  const auto offset =
      static_cast<std::uint32_t>(epilogue.row_offsets != nullptr ? epilogue.row_offsets[row] : 0);
  if (epilogue.column_offsets == nullptr) {
    for (std::int64_t i = 0; i < count; ++i)
      to[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[i]) + offset);
    return;
  }
  const std::int32_t* added = epilogue.column_offsets + first;
  for (std::int64_t i = 0; i < count; ++i) {
    to[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[i]) + offset +
                                      static_cast<std::uint32_t>(added[i]));
  }
}

void finish_row(const ByteProduct& product, std::int64_t row, std::int64_t first,
                std::int64_t count, const std::int32_t* sums) {
  const ByteEpilogue& epilogue = product.epilogue;
  const std::int64_t at = row * epilogue.out_stride + first;
  switch (epilogue.kind) {
    case ByteEpilogue::Kind::sums:
      return finish_sums(epilogue, row, first, count, sums);
    case ByteEpilogue::Kind::bytes_by_row:
      if (product.finish->requantize(sums, count, epilogue.row_offsets[row], epilogue.scales[row],
                                     epilogue.range,
                                     static_cast<std::uint8_t*>(epilogue.out) + at) &&
          epilogue.settler != nullptr) {
        epilogue.settler->settle(row, first, count, sums,
                                 static_cast<std::uint8_t*>(epilogue.out) + at);
      }
      return;
    case ByteEpilogue::Kind::bytes_by_column:
      return product.finish->requantize_columns(sums, count, epilogue.column_offsets + first,
                                                epilogue.scales + first, epilogue.range,
                                                static_cast<std::uint8_t*>(epilogue.out) + at);
    case ByteEpilogue::Kind::floats_by_column:
      return product.finish->scale_columns(sums, count, epilogue.column_offsets + first,
                                           epilogue.scales + first,
                                           static_cast<float*>(epilogue.out) + at);
  }
}

}  // namespace

void multiply_byte_panel(const ByteProduct& product, std::int64_t row_begin, std::int64_t row_end,
                         const BytePanel& panel, std::span<const ByteOuter> outers) {
  const ByteTileFunctions& functions = *product.tile;
  alignas(64) std::int32_t sums[most_tile_rows * most_tile_columns];
  ByteTile tile = {};
  tile.b = panel.words;
  tile.b_stride = panel.stored;
  tile.steps = product.steps;
  tile.c = sums;
  tile.c_stride = functions.most_columns;
  tile.vectors = static_cast<std::int32_t>(panel.stored / functions.lanes);
  const auto run = product.has_unsigned_rows ? functions.unsigned_rows : functions.signed_rows;
  for (std::int64_t index = row_begin; index < row_end; ++index) {
    const std::int64_t first_row = index * functions.most_rows;
    tile.a = product.a + first_row * product.steps;
    tile.rows = static_cast<std::int32_t>(
        std::min<std::int64_t>(functions.most_rows, product.rows - first_row));
    run(tile);
    for (std::int64_t i = 0; i < tile.rows; ++i) {
      std::int32_t* row_sums = sums + i * tile.c_stride;
      for (const ByteOuter& outer : outers)
        add_outer(outer.rows[first_row + i], outer.columns, panel.count, row_sums);
      finish_row(product, first_row + i, panel.first, panel.count, row_sums);
    }
  }
}

}  // namespace ortool::cpu
