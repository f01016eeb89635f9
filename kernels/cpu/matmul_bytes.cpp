// Rows are packed once a product, columns once a constant; tasks are blocks of panels.
#include "kernels/cpu/matmul_bytes.hpp"

#include <algorithm>

#include "kernels/cpu/byte_pack.hpp"

namespace ortool::cpu {
namespace {

std::int64_t round_to_line(std::int64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

std::int64_t panels_of(std::int64_t n, const ByteTileFunctions& tile) {
  return (n + tile.most_columns - 1) / tile.most_columns;
}

/// Less the sum of each row's bytes, modulo 2^32.
void sum_rows(const std::uint8_t* a, std::uint8_t flip, std::int64_t rows, std::int64_t k,
              std::int32_t* sums) {
  for (std::int64_t row = 0; row < rows; ++row) {
    std::uint32_t sum = 0;
    for (std::int64_t i = 0; i < k; ++i) sum += static_cast<std::uint32_t>(a[row * k + i] ^ flip);
    sums[row] = static_cast<std::int32_t>(0U - sum);
  }
}

}  // namespace

std::int64_t packed_byte_matrix_bytes(std::int64_t k, std::int64_t n, Isa isa) {
  const ByteTileFunctions& tile = byte_tile_functions(isa);
  const std::int64_t steps = (k + tile.group - 1) / tile.group;
  return round_to_line(stored_columns(tile, n) * steps * 4);
}

void pack_byte_matrix(std::int64_t k, std::int64_t n, const ByteMatrix& b, Isa isa, std::byte* out,
                      std::int32_t* sums) {
  const ByteTileFunctions& tile = byte_tile_functions(isa);
  const ByteForm form{.flip = b.flip, .is_signed = true, .group = tile.group};
  const std::int64_t steps = form.steps(k);
  for (std::int64_t column = 0; column < n; ++column) {
    sums[column] = sum_signed_bytes(b.data + (b.is_transposed ? column * k : column), k,
                                    b.is_transposed ? 1 : n, b.flip);
  }
  for (std::int64_t first = 0; first < n; first += tile.most_columns) {
    const std::int64_t columns = std::min<std::int64_t>(tile.most_columns, n - first);
    const std::int64_t stored = stored_columns(tile, columns);
    std::int32_t* to = reinterpret_cast<std::int32_t*>(out) + first * steps;
    if (b.is_transposed) {
      pack_byte_rows(b.data + first * k, k, columns, stored, k, form, to);
    } else {
      pack_byte_columns(b.data + first, n, columns, stored, k, form, to);
    }
  }
}

std::int64_t byte_matmul_workspace_bytes(const ByteMatMulSizes& sizes, Isa isa) {
  const ByteTileFunctions& tile = byte_tile_functions(isa);
  const std::int64_t steps = (sizes.k + tile.group - 1) / tile.group;
  return round_to_line(sizes.m * steps * 4) + round_to_line(sizes.m * 4);
}

void byte_matmul(const ByteMatMulSizes& sizes, const std::uint8_t* a, std::uint8_t a_flip,
                 const std::byte* packed_b, const ByteMatMulZeros& zeros,
                 const ByteEpilogue& epilogue, Isa isa, void* workspace, Workers& workers) {
  constexpr std::int64_t task_products = 512 * 1024;
  constexpr std::int64_t pack_bytes = 64 * 1024;
  if (sizes.m <= 0 || sizes.n <= 0) return;
  const ByteTileFunctions& tile = byte_tile_functions(isa);
  const ByteForm form{.flip = a_flip, .is_signed = false, .group = tile.group};
  ByteProduct product;
  product.tile = &tile;
  product.finish = &byte_row_functions(isa);
  product.has_unsigned_rows = true;
  product.steps = form.steps(sizes.k);
  product.rows = sizes.m;
  product.epilogue = epilogue;
  auto* rows = static_cast<std::int32_t*>(workspace);
  std::int32_t* row_sums = rows + round_to_line(sizes.m * product.steps * 4) / 4;
  product.a = rows;
  const std::int64_t row_panels = product.row_panels();
  const std::int64_t pack_grain =
      std::max<std::int64_t>(1, pack_bytes / (tile.most_rows * std::max<std::int64_t>(sizes.k, 1)));
  workers.parallel_ranges(row_panels, pack_grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t panel = begin; panel < end; ++panel) {
      const std::int64_t first = panel * tile.most_rows;
      const std::int64_t count = std::min<std::int64_t>(tile.most_rows, sizes.m - first);
      pack_byte_rows(a + first * sizes.k, sizes.k, count, count, sizes.k, form,
                     rows + first * product.steps);
      if (zeros.columns != nullptr)
        sum_rows(a + first * sizes.k, a_flip, count, sizes.k, row_sums + first);
    }
  });
  const std::int64_t panels = panels_of(sizes.n, tile);
  // A task is some row panels by some column panels; whole rows of panels first.
  const std::int64_t panel_products =
      std::max<std::int64_t>(1, product.steps * tile.group * tile.most_columns * tile.most_rows);
  const std::int64_t panels_a_task = std::max<std::int64_t>(1, task_products / panel_products);
  const std::int64_t rows_a_task = std::min(row_panels, panels_a_task);
  const std::int64_t columns_a_task = std::max<std::int64_t>(1, panels_a_task / rows_a_task);
  const std::int64_t row_tasks = (row_panels + rows_a_task - 1) / rows_a_task;
  const std::int64_t column_tasks = (panels + columns_a_task - 1) / columns_a_task;
  workers.parallel_for(row_tasks * column_tasks, [&](std::int64_t task) {
    const std::int64_t row_begin = task / column_tasks * rows_a_task;
    const std::int64_t row_end = std::min(row_begin + rows_a_task, row_panels);
    const std::int64_t begin = task % column_tasks * columns_a_task;
    const std::int64_t end = std::min(begin + columns_a_task, panels);
    for (std::int64_t index = begin; index < end; ++index) {
      const std::int64_t first = index * tile.most_columns;
      const std::int64_t columns = std::min<std::int64_t>(tile.most_columns, sizes.n - first);
      const BytePanel panel{reinterpret_cast<const std::int32_t*>(packed_b) + first * product.steps,
                            stored_columns(tile, columns), first, columns};
      ByteOuter outers[2];
      std::size_t count = 0;
      if (zeros.rows_negated != nullptr)
        outers[count++] = {zeros.rows_negated, zeros.column_terms + first};
      if (zeros.columns != nullptr) outers[count++] = {row_sums, zeros.columns + first};
      multiply_byte_panel(product, row_begin, row_end, panel, {outers, count});
    }
  });
}

}  // namespace ortool::cpu
