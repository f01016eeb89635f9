// Int8 MatMul with packed quads: rows are packed once per product; tasks are blocks of panels.
#include <algorithm>

#include "kernels/cpu/gemm/int8/algorithms.hpp"
#include "kernels/cpu/gemm/int8/pack.hpp"

namespace ortool::cpu {

std::int64_t word_matmul_workspace_bytes(const Int8MatMulSizes& sizes, Isa isa) {
  return sizes.m * Int8PackDesc::of(int8_gemm_functions(isa), false).steps(sizes.k) * 4;
}

void word_matmul(const Int8MatMulCall& call, Workers& workers) {
  constexpr std::int64_t task_products = std::int64_t{4} << 20;
  constexpr std::int64_t pack_bytes = 64 * 1024;
  const Int8MatMulSizes& sizes = call.sizes;
  const Int8GemmFunctions& tile = int8_gemm_functions(call.isa);
  const auto desc = Int8PackDesc::of(tile, false, row_flip(call.a.is_signed, call.isa));
  Int8PackedProduct product;
  product.tile = &tile;
  product.functions = RequantizeFunctions::of(call.isa);
  product.has_unsigned_rows = true;
  product.steps = desc.steps(sizes.k);
  product.rows = sizes.m;
  product.epilogue = call.epilogue;
  product.out = call.out;
  product.out_stride = sizes.n;
  auto* rows = reinterpret_cast<std::int32_t*>(call.workspace);
  product.a = rows;
  const std::int64_t row_panels = product.row_panels();
  const std::int64_t pack_grain =
      std::max<std::int64_t>(1, pack_bytes / (tile.max_rows * std::max<std::int64_t>(sizes.k, 1)));
  workers.parallel_ranges(row_panels, pack_grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t panel = begin; panel < end; ++panel) {
      const std::int64_t first = panel * tile.max_rows;
      const std::int64_t count = std::min<std::int64_t>(tile.max_rows, sizes.m - first);
      pack_int8_rows(call.a.data + first * sizes.k, sizes.k, count, count, sizes.k, desc,
                     rows + first * product.steps);
    }
  });
  const std::int64_t panels = (sizes.n + tile.max_columns - 1) / tile.max_columns;
  const auto* words = reinterpret_cast<const std::int32_t*>(call.b);
  const std::int32_t* starts = words + stored_columns(tile, sizes.n) * product.steps;
  // A task is a block of row panels by column panels, with as many rows as fit; tasks with the same
  // columns are consecutive.
  const std::int64_t panel_products =
      std::max<std::int64_t>(1, product.steps * tile.group * tile.max_columns * tile.max_rows);
  const std::int64_t panels_a_task = std::max<std::int64_t>(1, task_products / panel_products);
  const std::int64_t rows_a_task = std::min(row_panels, panels_a_task);
  const std::int64_t columns_a_task = std::max<std::int64_t>(1, panels_a_task / rows_a_task);
  const std::int64_t row_tasks = (row_panels + rows_a_task - 1) / rows_a_task;
  const std::int64_t column_tasks = (panels + columns_a_task - 1) / columns_a_task;
  workers.parallel_for(row_tasks * column_tasks, [&](std::int64_t task) {
    const std::int64_t row_begin = task % row_tasks * rows_a_task;
    const std::int64_t row_end = std::min(row_begin + rows_a_task, row_panels);
    const std::int64_t begin = task / row_tasks * columns_a_task;
    const std::int64_t end = std::min(begin + columns_a_task, panels);
    for (std::int64_t index = begin; index < end; ++index) {
      const std::int64_t first = index * tile.max_columns;
      const std::int64_t columns = std::min<std::int64_t>(tile.max_columns, sizes.n - first);
      Int8Panel panel{words + first * product.steps, stored_columns(tile, columns), first, columns};
      if (tile.multiplies_signed) panel.starts = starts + first;
      // The panels after these may belong to another thread, so they are not prefetched.
      if (index + 1 < (workers.count() == 1 ? panels : end)) {
        const std::int64_t next =
            std::min<std::int64_t>(tile.max_columns, sizes.n - first - columns);
        panel.prefetch_bytes = stored_columns(tile, next) * product.steps * 4;
      }
      const ZeroPointTerms zero_point_terms(call, first);
      multiply_int8_panel(product, row_begin, row_end, panel,
                          {zero_point_terms.all, zero_point_terms.count});
    }
  });
}

}  // namespace ortool::cpu
