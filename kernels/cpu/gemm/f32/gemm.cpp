// GEMM in float32: c = activate(alpha * a * b + beta * added + residual).
#include "kernels/cpu/gemm/f32/gemm.hpp"

#include <algorithm>
#include <array>

#include "kernels/cpu/gemm/f32/epilogue.hpp"
#include "kernels/cpu/gemm/f32/skinny.hpp"
#include "libcore/base/error.hpp"

namespace ortool::cpu {
namespace {

/// Rows of a packed at a time: about this many bytes, so that they stay in the L2 cache.
constexpr std::int64_t rows_bytes = 1280 * 1024;

std::int64_t round_up_to_line(std::int64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

/// Rows of a are processed in chunks of this size.
std::int64_t chunk_rows(const GemmSizes& sizes, const GemmFunctions& functions) {
  const std::int64_t fitting = rows_bytes / (float_bytes * std::max<std::int64_t>(sizes.k, 1));
  const std::int64_t rows = std::max<std::int64_t>(fitting, 8 * functions.max_rows);
  const std::int64_t chunks = std::max<std::int64_t>(1, (sizes.m + rows - 1) / rows);
  return (sizes.m + chunks - 1) / chunks;
}

/// GEMV: c is a column, each row of a times the vector x.
void multiply_column(const GemmSizes& sizes, const StridedMatrix& a, const float* x, float* c,
                     std::int64_t c_stride, const Epilogue& epilogue,
                     const GemmFunctions& functions, Workers& workers) {
  constexpr std::int64_t most = 64;
  const std::int64_t grain = std::min(most, skinny_grain(sizes.k, 1));
  workers.parallel_ranges(sizes.m, grain, [&](std::int64_t begin, std::int64_t end) {
    float sums[most];
    const std::int64_t rows = end - begin;
    if (a.transposed) {
      functions.skinny(x, 0, 1, 1, a.data + begin, a.stride, rows, sizes.k, sums, 0);
    } else {
      functions.dot_rows(a.data + begin * a.stride, a.stride, rows, sizes.k, x, sums);
    }
    finish_sums(result_region(epilogue, c, c_stride, begin, rows, 0, 1), sums, 1, functions);
  });
}

/// GEMV: c is a row, the vector x times each row of the transposed b.
void multiply_row_transposed(const GemmSizes& sizes, const float* x, const StridedMatrix& b,
                             float* c, const Epilogue& epilogue, const GemmFunctions& functions,
                             Workers& workers) {
  constexpr std::int64_t most = 64;
  const std::int64_t grain = std::min(most, skinny_grain(sizes.k, 16));
  workers.parallel_ranges(sizes.n, grain, [&](std::int64_t begin, std::int64_t end) {
    float sums[most];
    functions.row_transposed(x, b.data + begin * b.stride, b.stride, end - begin, sizes.k, sums);
    finish_sums(result_region(epilogue, c, sizes.n, 0, 1, begin, end - begin), sums, most,
                functions);
  });
}

/// c has few rows: b is read once, in place.
void multiply_skinny(const GemmSizes& sizes, const StridedMatrix& a, const StridedMatrix& b,
                     float* c, std::int64_t c_stride, const Epilogue& epilogue,
                     const GemmFunctions& functions, Workers& workers) {
  const std::int64_t row_stride = a.transposed ? 1 : a.stride;
  const std::int64_t step = a.transposed ? a.stride : 1;
  const std::int64_t grain = skinny_grain(sizes.k, 64);
  workers.parallel_ranges(sizes.n, grain, [&](std::int64_t begin, std::int64_t end) {
    functions.skinny(a.data, row_stride, step, static_cast<std::int32_t>(sizes.m), b.data + begin,
                     b.stride, end - begin, sizes.k, c + begin, c_stride);
    const GemmTile tile = result_region(epilogue, c, c_stride, 0, sizes.m, begin, end - begin);
    finish_sums(tile, tile.c, c_stride, functions);
  });
}

/// c has few rows and b is packed: two panels at a time, to have enough independent accumulators.
void multiply_skinny_packed(const GemmSizes& sizes, const StridedMatrix& a, const float* packed_b,
                            float* c, std::int64_t c_stride, const Epilogue& epilogue,
                            const GemmFunctions& functions, Workers& workers) {
  const ColumnPanels panels = cut_columns(sizes.n, functions);
  const std::int64_t row_stride = a.transposed ? 1 : a.stride;
  const std::int64_t step = a.transposed ? a.stride : 1;
  const auto rows = static_cast<std::int32_t>(sizes.m);
  const std::int64_t grain = skinny_grain(sizes.k, 2 * panels.width) / panels.width;
  const bool is_changed = changes_sums(epilogue);
  workers.parallel_ranges(panels.count, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t panel = begin; panel < end;) {
      const std::int64_t first = panels.first_column(panel);
      const bool is_pair = panel + 2 <= end && panels.columns_in(panel + 1) == panels.width;
      if (is_pair) {
        functions.skinny_pair(a.data, row_stride, step, rows, packed_b + first * sizes.k, sizes.k,
                              c + first, c_stride);
      } else {
        functions.skinny(a.data, row_stride, step, rows, packed_b + first * sizes.k,
                         panels.stored_in(panel), panels.columns_in(panel), sizes.k, c + first,
                         c_stride);
      }
      panel += is_pair ? 2 : 1;
    }
    if (!is_changed) return;
    const std::int64_t first = panels.first_column(begin);
    const std::int64_t last = std::min(panels.first_column(end), sizes.n);
    const GemmTile tile = result_region(epilogue, c, c_stride, 0, sizes.m, first, last - first);
    finish_sums(tile, tile.c, c_stride, functions);
  });
}

/// Up to this many columns, rows of a are read in place rather than packed for so few uses.
constexpr std::int64_t narrow_columns = 64;

/// Not if the row stride is a multiple of a page, since rows would then conflict in the L1 cache.
bool reads_rows_in_place(const GemmSizes& sizes, const StridedMatrix& a) {
  constexpr std::int64_t page_floats = 1024;
  return sizes.n <= narrow_columns && !a.transposed && a.stride % page_floats != 0;
}

/// c has few columns: rows of a are read once, in place.
void multiply_narrow(const GemmSizes& sizes, const StridedMatrix& a, const float* packed_b,
                     float* c, std::int64_t c_stride, const Epilogue& epilogue,
                     const GemmFunctions& functions, Workers& workers) {
  const PanelProduct product{.functions = &functions,
                             .k = sizes.k,
                             .rows = cut_rows(sizes.m, functions),
                             .columns = cut_columns(sizes.n, functions),
                             .a = a.data,
                             .a_stride = a.stride,
                             .b = packed_b,
                             .c = c,
                             .c_stride = c_stride,
                             .epilogue = &epilogue,
                             .a_needs_prefetch = true};
  constexpr std::int64_t task_products = 400000;
  const std::int64_t panel_products = functions.max_rows * sizes.n * (sizes.k + 1);
  const std::int64_t grain = std::max<std::int64_t>(1, task_products / panel_products);
  workers.parallel_ranges(product.rows.count, grain, [&](std::int64_t begin, std::int64_t end) {
    multiply_panels(product, begin, end, 0, product.columns.count);
  });
}

/// How a chunk of rows by all columns is partitioned into tasks.
struct TaskGrid {
  std::int64_t row_blocks;
  std::int64_t column_blocks;
};

TaskGrid cut_tasks(const RowPanels& rows, const ColumnPanels& columns, std::int64_t k) {
  constexpr std::int64_t wanted_tasks = 16;
  constexpr std::int64_t min_tile_steps = 4096;  // steps of k over all tiles of a task
  const std::int64_t steps = rows.count * columns.count * std::max<std::int64_t>(k, 1);
  const std::int64_t max_tasks = std::max<std::int64_t>(1, steps / min_tile_steps);
  const std::int64_t by_width = (columns.count + 3) / 4;
  const std::int64_t tasks = std::min(std::max(wanted_tasks, by_width), max_tasks);
  const std::int64_t column_blocks = std::clamp<std::int64_t>(tasks, 1, columns.count);
  const std::int64_t row_blocks =
      std::clamp<std::int64_t>(tasks / column_blocks, 1, std::max<std::int64_t>(1, rows.count / 2));
  return {row_blocks, column_blocks};
}

/// A piece of the columns within a chunk of the rows, partitioned into tasks.
struct ChunkTile {
  PanelProduct product;
  Epilogue epilogue;
  TaskGrid grid = {};

  std::int64_t tasks() const { return grid.row_blocks * grid.column_blocks; }
  void run(std::int64_t task) const {
    const std::int64_t column = task / grid.row_blocks;
    const std::int64_t row = task % grid.row_blocks;
    multiply_panels(product, product.rows.count * row / grid.row_blocks,
                    product.rows.count * (row + 1) / grid.row_blocks,
                    product.columns.count * column / grid.column_blocks,
                    product.columns.count * (column + 1) / grid.column_blocks);
  }
};

/// A piece of c and its row stride.
struct OutputTile {
  GemmColumns columns;
  std::int64_t c_stride = 0;
};

/// The tiles of a single row panel cannot prefetch all cache lines of a far column panel, so two
/// row panels share that work if there are enough rows.
RowPanels cut_for_columns(std::int64_t rows, const GemmSizes& sizes,
                          const GemmFunctions& functions) {
  constexpr std::int64_t line_floats = 16;
  constexpr std::int64_t min_rows = 8;
  constexpr std::int64_t min_prefetched_floats = 1 << 19;
  RowPanels panels = cut_rows(rows, functions);
  const bool brings_all = panels.count * line_floats >= functions.panel_columns;
  if (brings_all || rows < min_rows || sizes.k * sizes.n < min_prefetched_floats) return panels;
  return {.count = 2, .height = rows / 2, .taller = rows % 2, .all_rows = rows};
}

/// Rows of a are packed once for all pieces.
void multiply_packed(const GemmSizes& sizes, const StridedMatrix& a,
                     std::span<const OutputTile> pieces, const Epilogue& epilogue,
                     const GemmFunctions& functions, float* packed_a, Workers& workers) {
  const std::int64_t chunk = chunk_rows(sizes, functions);
  for (std::int64_t begin = 0; begin < sizes.m; begin += chunk) {
    const RowPanels rows = cut_for_columns(std::min(chunk, sizes.m - begin), sizes, functions);
    const std::int64_t pack_grain =
        std::max<std::int64_t>(1, 16 * 1024 / (functions.max_rows * (sizes.k + 1)));
    StridedMatrix a_here = a;
    a_here.data += begin * (a.transposed ? 1 : a.stride);
    workers.parallel_ranges(rows.count, pack_grain, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t panel = first; panel < last; ++panel)
        pack_row_panel(rows, panel, sizes.k, a_here, functions, packed_a);
    });
    std::array<ChunkTile, max_gemm_columns> made;
    std::int64_t tasks = 0;
    std::int64_t column = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const OutputTile& piece = pieces[i];
      ChunkTile& here = made[i];
      here.epilogue = epilogue_at(epilogue, begin, column);
      here.product = {.functions = &functions,
                      .k = sizes.k,
                      .rows = rows,
                      .columns = cut_columns(piece.columns.count, functions),
                      .a = packed_a,
                      .b = piece.columns.packed_b,
                      .c = piece.columns.c + begin * piece.c_stride,
                      .c_stride = piece.c_stride,
                      .epilogue = &here.epilogue,
                      .stop = workers.stop()};
      here.grid = cut_tasks(rows, here.product.columns, sizes.k);
      tasks += here.tasks();
      column += piece.columns.count;
    }
    workers.parallel_for(tasks, [&](std::int64_t task) {
      const ChunkTile* here = made.data();
      for (; task >= here->tasks(); ++here) task -= here->tasks();
      here->run(task);
    });
  }
}

}  // namespace

std::int64_t packed_b_bytes(std::int64_t k, std::int64_t n, Isa isa) {
  if (n == 1) return round_up_to_line(k * float_bytes);
  return round_up_to_line(cut_columns(n, gemm_functions(isa)).stored * k * float_bytes);
}

void pack_b(std::int64_t k, std::int64_t n, const StridedMatrix& b, Isa isa, float* out,
            Workers& workers) {
  if (n == 1) {
    const std::int64_t step = b.transposed ? 1 : b.stride;
    for (std::int64_t i = 0; i < k; ++i) out[i] = b.data[i * step];
    return;
  }
  const GemmFunctions& functions = gemm_functions(isa);
  const ColumnPanels panels = cut_columns(n, functions);
  const std::int64_t grain = std::max<std::int64_t>(1, 16 * 1024 / (panels.width * (k + 1)));
  workers.parallel_ranges(panels.count, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t panel = begin; panel < end; ++panel) {
      pack_column_panel(panels, panel, k, b, functions, out);
    }
  });
}

std::int64_t gemm_workspace_bytes(const GemmSizes& sizes, Isa isa) {
  if (sizes.m <= skinny_rows || sizes.n <= 1) return 0;
  return round_up_to_line(chunk_rows(sizes, gemm_functions(isa)) * sizes.k * float_bytes);
}

void gemm(const GemmSizes& sizes, const StridedMatrix& a, const float* packed_b, float* c,
          std::int64_t c_stride, const Epilogue& epilogue, Isa isa, void* workspace,
          Workers& workers) {
  if (sizes.m <= 0 || sizes.n <= 0) return;
  const GemmFunctions& functions = gemm_functions(isa);
  if (sizes.n == 1) {
    multiply_column(sizes, a, packed_b, c, c_stride, epilogue, functions, workers);
  } else if (sizes.m <= skinny_rows) {
    multiply_skinny_packed(sizes, a, packed_b, c, c_stride, epilogue, functions, workers);
  } else if (reads_rows_in_place(sizes, a)) {
    multiply_narrow(sizes, a, packed_b, c, c_stride, epilogue, functions, workers);
  } else {
    const OutputTile whole[] = {{{sizes.n, packed_b, c}, c_stride}};
    multiply_packed(sizes, a, whole, epilogue, functions, static_cast<float*>(workspace), workers);
  }
}

void gemm_columns(const GemmSizes& sizes, const StridedMatrix& a,
                  std::span<const GemmColumns> pieces, const Epilogue& epilogue, Isa isa,
                  void* workspace, Workers& workers) {
  ORTOOL_CHECK(pieces.size() <= max_gemm_columns);
  if (sizes.m <= 0) return;
  const bool are_wide = std::all_of(pieces.begin(), pieces.end(), [&](const GemmColumns& piece) {
    return piece.count > 1 && !reads_rows_in_place({sizes.m, piece.count, sizes.k}, a);
  });
  if (sizes.m > skinny_rows && are_wide) {
    std::array<OutputTile, max_gemm_columns> placed;
    for (std::size_t i = 0; i < pieces.size(); ++i) placed[i] = {pieces[i], pieces[i].count};
    multiply_packed(sizes, a, std::span(placed).first(pieces.size()), epilogue, gemm_functions(isa),
                    static_cast<float*>(workspace), workers);
    return;
  }
  std::int64_t column = 0;
  for (const GemmColumns& piece : pieces) {
    gemm({sizes.m, piece.count, sizes.k}, a, piece.packed_b, piece.c, piece.count,
         epilogue_at(epilogue, 0, column), isa, workspace, workers);
    column += piece.count;
  }
}

std::int64_t gemm_unpacked_workspace_bytes(const GemmSizes& sizes, Isa isa) {
  return gemm_workspace_bytes(sizes, isa) + packed_b_bytes(sizes.k, sizes.n, isa);
}

void gemm_unpacked(const GemmSizes& sizes, const StridedMatrix& a, const StridedMatrix& b, float* c,
                   std::int64_t c_stride, const Epilogue& epilogue, Isa isa, void* workspace,
                   Workers& workers) {
  if (sizes.m <= 0 || sizes.n <= 0) return;
  const GemmFunctions& functions = gemm_functions(isa);
  if (sizes.n > 1 && sizes.m <= skinny_rows && !b.transposed) {
    multiply_skinny(sizes, a, b, c, c_stride, epilogue, functions, workers);
    return;
  }
  const bool a_is_plain = !a.transposed || a.stride == 1;
  if (sizes.n > 1 && sizes.m == 1 && b.transposed && a_is_plain) {
    multiply_row_transposed(sizes, a.data, b, c, epilogue, functions, workers);
    return;
  }
  auto* packed_b = static_cast<float*>(workspace);
  const std::int64_t b_floats = packed_b_bytes(sizes.k, sizes.n, isa) / float_bytes;
  pack_b(sizes.k, sizes.n, b, isa, packed_b, workers);
  gemm(sizes, a, packed_b, c, c_stride, epilogue, isa, packed_b + b_floats, workers);
}

}  // namespace ortool::cpu
