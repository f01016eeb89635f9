// GEMM with bfloat16 operands: packs rows in chunks, and partitions the product into tasks.
#include "kernels/cpu/gemm/bf16/gemm.hpp"

#include <algorithm>

#include "kernels/cpu/gemm/bf16/microkernel.hpp"
#include "libcore/base/error.hpp"

namespace ortool::cpu {
namespace {

/// Rows of a packed at a time: about this many bytes, so that they stay in the L2 cache.
constexpr std::int64_t chunk_bytes = 1 << 20;
/// Rows of an AMX block, and columns of a pair of panels.
constexpr std::int64_t task_rows_unit = 32;
constexpr std::int64_t pair_panels = 2;
/// Columns of the AVX512-BF16 tile and of the AMX block divide this many panels.
constexpr std::int64_t task_panels_unit = 6;
constexpr std::int64_t task_products = std::int64_t{4} << 20;
/// Of one thread alone, so that the epilogue of one panel runs while the next one accumulates.
constexpr std::int64_t serial_task_products = std::int64_t{64} << 20;

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::int64_t panels_of(std::int64_t n) {
  return (n + bf16_panel_columns - 1) / bf16_panel_columns;
}

std::int64_t chunk_rows(const GemmSizes& sizes) {
  const std::int64_t row_bytes = bf16_steps(sizes.k) * bf16_step * 2;
  const std::int64_t fitting = chunk_bytes / std::max<std::int64_t>(row_bytes, 1);
  const std::int64_t rows = std::max(fitting, 4 * task_rows_unit);
  const std::int64_t chunks = std::max<std::int64_t>(1, (sizes.m + rows - 1) / rows);
  return round_up((sizes.m + chunks - 1) / chunks, task_rows_unit);
}

/// Tasks of a product: ranges of panels by ranges of rows. The bits do not depend on them.
struct TaskGrid {
  std::int64_t panels = 1;  ///< per task
  std::int64_t rows = 1;    ///< per task
  std::int64_t panel_tasks = 0;
  std::int64_t row_tasks = 0;

  TaskGrid(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t products)
      : rows(round_up(m, task_rows_unit)) {
    const std::int64_t column_products = std::max<std::int64_t>(1, k * bf16_panel_columns);
    const std::int64_t panel_products = column_products * rows;
    panels = products / panel_products / task_panels_unit * task_panels_unit;
    if (panels == 0) {
      panels = panel_products * pair_panels <= 2 * products ? pair_panels : task_panels_unit;
      const std::int64_t fitting = 2 * products / (column_products * panels);
      rows = std::min(rows, std::max(fitting / task_rows_unit, std::int64_t{2}) * task_rows_unit);
    }
    panel_tasks = (panels_of(n) + panels - 1) / panels;
    row_tasks = (m + rows - 1) / rows;
  }
};

}  // namespace

bool has_bf16_gemm(Isa isa) {
  return bf16_gemm_functions(isa) != nullptr;
}

std::int64_t packed_bf16_b_bytes(std::int64_t k, std::int64_t n) {
  return panels_of(n) * bf16_steps(k) * bf16_step_values * 2;
}

void pack_bf16_b(std::int64_t k, std::int64_t n, const StridedMatrix& b, Isa isa,
                 std::uint16_t* out, Workers& workers) {
  const Bf16GemmFunctions* functions = bf16_gemm_functions(isa);
  ORTOOL_CHECK(functions != nullptr);
  const std::int64_t panel_values = bf16_steps(k) * bf16_step_values;
  const std::int64_t grain =
      std::max<std::int64_t>(1, 32 * 1024 / std::max<std::int64_t>(1, panel_values));
  workers.parallel_ranges(panels_of(n), grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t panel = begin; panel < end; ++panel) {
      const std::int64_t first = panel * bf16_panel_columns;
      const std::int64_t columns = std::min(bf16_panel_columns, n - first);
      std::uint16_t* to = out + panel * panel_values;
      if (b.transposed) {
        functions->pack_transposed(b.data + first * b.stride, b.stride, columns, k, to);
      } else {
        functions->pack_columns(b.data + first, b.stride, columns, k, to);
      }
    }
  });
}

std::int64_t bf16_gemm_workspace_bytes(const GemmSizes& sizes) {
  return chunk_rows(sizes) * bf16_steps(sizes.k) * bf16_step * 2;
}

void bf16_gemm(const GemmSizes& sizes, const StridedMatrix& a, std::span<const Bf16Columns> pieces,
               const Epilogue& epilogue, Isa isa, void* workspace, Workers& workers) {
  const Bf16GemmFunctions* functions = bf16_gemm_functions(isa);
  ORTOOL_CHECK(functions != nullptr && !a.transposed);
  if (sizes.m <= 0 || sizes.n <= 0) return;
  auto* packed_a = static_cast<std::uint16_t*>(workspace);
  const std::int64_t steps = bf16_steps(sizes.k);
  const std::int64_t block_values = steps * bf16_step_values;
  const std::int64_t chunk = chunk_rows(sizes);
  for (std::int64_t begin = 0; begin < sizes.m; begin += chunk) {
    const std::int64_t rows = std::min(chunk, sizes.m - begin);
    const std::int64_t blocks = (rows + bf16_block_rows - 1) / bf16_block_rows;
    const std::int64_t grain =
        std::max<std::int64_t>(1, 16 * 1024 / std::max<std::int64_t>(1, block_values));
    workers.parallel_ranges(blocks, grain, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t block = first; block < last; ++block) {
        const std::int64_t row = block * bf16_block_rows;
        functions->pack_rows(a.data + (begin + row) * a.stride, a.stride,
                             std::min(bf16_block_rows, rows - row), sizes.k,
                             packed_a + block * block_values);
      }
    });
    std::int64_t column = 0;
    for (const Bf16Columns& piece : pieces) {
      const Epilogue here = epilogue_at(epilogue, begin, column);
      const bool is_alone = workers.count() == 1;
      const TaskGrid grid(rows, piece.count, sizes.k,
                          is_alone ? serial_task_products : task_products);
      Bf16Product whole = {};
      whole.a = packed_a;
      whole.b = piece.b;
      whole.steps = steps;
      whole.columns = piece.count;
      whole.c = piece.c + begin * piece.c_stride;
      whole.c_stride = piece.c_stride;
      whole.epilogue = &here;
      workers.parallel_for(grid.panel_tasks * grid.row_tasks, [&](std::int64_t task) {
        Bf16Product part = whole;
        part.panel_begin = task / grid.row_tasks * grid.panels;
        part.panel_end = std::min(part.panel_begin + grid.panels, panels_of(piece.count));
        part.row_begin = task % grid.row_tasks * grid.rows;
        part.row_end = std::min(part.row_begin + grid.rows, rows);
        // The panels after these may belong to another thread, so they are not prefetched.
        part.prefetched_panels = is_alone ? panels_of(piece.count) : part.panel_end;
        functions->multiply(part);
      });
      column += piece.count;
    }
  }
}

}  // namespace ortool::cpu
