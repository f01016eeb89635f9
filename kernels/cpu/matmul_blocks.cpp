// Panels of columns are the tasks; a panel stays near while all rows pass by.
#include "kernels/cpu/matmul_blocks.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/block_rows.hpp"
#include "kernels/cpu/gemm_epilogue.hpp"
#include "kernels/cpu/workspace_slots.hpp"

namespace ortool::cpu {
namespace {

/// Multiplications that are worth a task.
constexpr std::int64_t least_task = 1 << 16;

/// So many steps of k of so many columns become floats at a time: they stay in the second cache.
constexpr std::int64_t slab_steps = 4096;
constexpr std::int64_t most_slab_columns = 32;

/// Rows that several are read at once are copied, so that their numbers at one step of k do not
/// all fall into one set of the first cache.
constexpr std::int64_t least_copied_rows = 4;
constexpr std::int64_t line_floats = 16;
constexpr std::int64_t line_bytes = 64;
/// So many at a time, so that the copy stays small.
constexpr std::int64_t most_copied_rows = 512;

const BlockRowFunctions& block_functions(Isa isa) {
  if (isa >= Isa::avx512) return avx512::block_row_functions;
  return isa == Isa::avx2 ? avx2::block_row_functions : baseline::block_row_functions;
}

std::int64_t panels_of(const BlockMatMulSizes& sizes) {
  return (sizes.n + block_panel_columns - 1) / block_panel_columns;
}

/// Of one block of a panel.
std::int64_t block_bytes(const BlockMatMulSizes& sizes) {
  const std::int64_t numbers = sizeof(float) + (sizes.has_zeros ? 1 : 0);
  return block_panel_columns * (numbers + sizes.block_size * sizes.bits / 8);
}

int level_at(const std::uint8_t* bytes, std::int64_t index, int bits) {
  return bits == 8 ? bytes[index] : bytes[index / 2] >> (index % 2 * 4) & 15;
}

/// One block of up to 16 columns; those that are missing are zeros.
void pack_block(const BlockMatMulSizes& sizes, const BlockMatrix& matrix, std::int64_t panel,
                std::int64_t block, std::uint8_t* out) {
  const std::int64_t level_bytes = sizes.block_size * sizes.bits / 8;
  const std::int64_t zero_bytes = (sizes.blocks() * sizes.bits + 7) / 8;
  std::uint8_t* levels = out + block_panel_columns * static_cast<std::int64_t>(
                                                         sizeof(float) + (sizes.has_zeros ? 1 : 0));
  std::memset(out, 0, static_cast<std::size_t>(block_bytes(sizes)));
  for (std::int64_t i = 0; i < block_panel_columns; ++i) {
    const std::int64_t column = panel * block_panel_columns + i;
    if (column >= sizes.n) return;
    const std::int64_t place = column * sizes.blocks() + block;
    std::memcpy(out + i * static_cast<std::int64_t>(sizeof(float)), matrix.scales + place,
                sizeof(float));
    if (sizes.has_zeros) {
      out[block_panel_columns * static_cast<std::int64_t>(sizeof(float)) + i] =
          static_cast<std::uint8_t>(
              level_at(matrix.zero_points + column * zero_bytes, block, sizes.bits));
    }
    for (std::int64_t byte = 0; byte < level_bytes; ++byte)
      levels[byte * block_panel_columns + i] = matrix.levels[place * level_bytes + byte];
  }
}

/// Of a copied row; an odd number of lines, so that rows fall into different sets of a cache.
std::int64_t row_lines(const BlockMatMulSizes& sizes) {
  return (sizes.k + line_floats - 1) / line_floats | 1;
}

std::int64_t copy_bytes(std::int64_t m, const BlockMatMulSizes& sizes) {
  return m < least_copied_rows ? 0 : std::min(m, most_copied_rows) * row_lines(sizes) * line_bytes;
}

std::int64_t slab_bytes(const BlockMatMulSizes& sizes) {
  return std::min(slab_steps, sizes.k) * most_slab_columns *
         static_cast<std::int64_t>(sizeof(float));
}

/// The part of the result that a task has made.
GemmTile made_tile(const Epilogue& epilogue, const BlockPanelTask& task, std::int64_t column) {
  GemmTile tile = tile_of(epilogue);
  tile.c = task.out;
  tile.c_stride = task.out_stride;
  tile.rows = static_cast<std::int32_t>(task.rows);
  tile.columns = static_cast<std::int32_t>(task.columns);
  aim_tile(tile, epilogue, 0, column);
  return tile;
}

bool changes_sums(const Epilogue& epilogue) {
  return epilogue.addend != Addend::none || epilogue.residual != nullptr ||
         epilogue.activation != Activation::none;
}

/// All rows by some steps of k of the columns from `column` on, `width` of which are floats.
void multiply_slab(const BlockPanelTask& task, const GemmFunctions& gemm, const float* weights,
                   std::int64_t width, std::int64_t column, std::int64_t first,
                   std::int64_t count) {
  const std::int64_t panel = std::min<std::int64_t>(width, gemm.panel_columns);
  for (std::int64_t row = 0; row < task.rows; row += gemm.max_rows) {
    for (std::int64_t at = 0; at < width && column + at < task.columns; at += panel) {
      GemmTile tile = {};
      tile.a = task.a + row * task.a_stride + first;
      tile.a_stride = task.a_stride;
      tile.b = weights + at;
      tile.b_stride = width;
      tile.k = count;
      tile.c = task.out + row * task.out_stride + column + at;
      tile.c_stride = task.out_stride;
      tile.rows = static_cast<std::int32_t>(std::min<std::int64_t>(gemm.max_rows, task.rows - row));
      tile.columns = static_cast<std::int32_t>(std::min(panel, task.columns - column - at));
      tile.wide = panel == gemm.panel_columns ? 1 : 0;
      tile.accumulate = first > 0 ? 1 : 0;
      if (gemm.partial_columns == 0 && tile.columns < panel) {
        run_partial_tile(tile, gemm);
      } else {
        gemm.tile(tile);
      }
    }
  }
}

/// Where there are many rows, levels become floats in `buffer`, and all rows pass by them.
void multiply_slabs(const BlockPanelTask& task, const BlockRowFunctions& functions,
                    const GemmFunctions& gemm, float* buffer) {
  const std::int64_t most_panels =
      std::max<std::int64_t>(1, gemm.panel_columns / block_panel_columns);
  for (std::int64_t panel = 0; panel < task.panels; panel += most_panels) {
    const std::int64_t panels = std::min(most_panels, task.panels - panel);
    const std::int64_t width = panels * block_panel_columns;
    for (std::int64_t first = 0; first < task.k; first += slab_steps) {
      const std::int64_t count = std::min(slab_steps, task.k - first);
      for (std::int64_t i = 0; i < panels; ++i) {
        BlockPanelTask one = task;
        one.panel += (panel + i) * task.panel_stride;
        functions.unpack(one, first, count, buffer + i * block_panel_columns, width);
      }
      multiply_slab(task, gemm, buffer, width, panel * block_panel_columns, first, count);
    }
  }
}

/// Rows of the left factor, and where their results go.
struct RowsOfFloats {
  const float* a;
  std::int64_t stride;
  std::int64_t count;
  float* out;
};

void multiply_block_rows(const RowsOfFloats& rows, const BlockMatMulSizes& sizes,
                         const std::byte* packed, const Epilogue& epilogue, Isa isa, void* slabs,
                         Workers& workers) {
  const BlockRowFunctions& functions = block_functions(isa);
  const bool is_slab = rows.count >= functions.slab_rows;
  const std::int64_t panel_bytes = sizes.blocks() * block_bytes(sizes);
  const std::int64_t group = functions.most_panels;
  const std::int64_t groups = (panels_of(sizes) + group - 1) / group;
  const std::int64_t work =
      std::max<std::int64_t>(1, rows.count * sizes.k * block_panel_columns * group);
  const std::int64_t grain = std::max<std::int64_t>(1, least_task / work);
  const WorkspaceSlots slots(slabs, slab_bytes(sizes), workers.count());
  workers.parallel_ranges(groups, grain, [&](std::int64_t begin, std::int64_t end) {
    const WorkspaceSlots::Loan loan(slots);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t panel = i * group;
      const std::int64_t column = panel * block_panel_columns;
      BlockPanelTask task;
      task.a = rows.a;
      task.a_stride = rows.stride;
      task.rows = rows.count;
      task.k = sizes.k;
      task.panel = reinterpret_cast<const std::uint8_t*>(packed) + panel * panel_bytes;
      task.panel_stride = panel_bytes;
      task.panels = std::min(group, panels_of(sizes) - panel);
      task.block_size = sizes.block_size;
      task.bits = sizes.bits;
      task.has_zeros = sizes.has_zeros ? 1 : 0;
      task.out = rows.out + column;
      task.out_stride = sizes.n;
      task.columns = std::min(task.panels * block_panel_columns, sizes.n - column);
      if (is_slab) {
        multiply_slabs(task, functions, gemm_functions(isa), reinterpret_cast<float*>(loan.data()));
      } else {
        functions.multiply(task);
      }
      if (changes_sums(epilogue)) {
        const GemmTile tile = made_tile(epilogue, task, column);
        finish_tile(tile, tile.c, tile.c_stride);
        finish_functions(tile, gemm_functions(isa));
      }
      workers.poll();
    }
  });
}

}  // namespace

std::int64_t packed_block_matrix_bytes(const BlockMatMulSizes& sizes) {
  return panels_of(sizes) * sizes.blocks() * block_bytes(sizes);
}

void pack_block_matrix(const BlockMatMulSizes& sizes, const BlockMatrix& matrix, std::byte* out) {
  auto* to = reinterpret_cast<std::uint8_t*>(out);
  for (std::int64_t panel = 0; panel < panels_of(sizes); ++panel) {
    for (std::int64_t block = 0; block < sizes.blocks(); ++block) {
      pack_block(sizes, matrix, panel, block, to);
      to += block_bytes(sizes);
    }
  }
}

std::int64_t block_matmul_workspace_bytes(std::int64_t m, const BlockMatMulSizes& sizes, Isa isa,
                                          int threads) {
  const bool has_slabs = m >= block_functions(isa).slab_rows;
  return copy_bytes(m, sizes) + (has_slabs ? threads * slab_bytes(sizes) : 0);
}

void block_matmul(std::int64_t m, const BlockMatMulSizes& sizes, const float* a,
                  const std::byte* packed, float* out, const Epilogue& epilogue, Isa isa,
                  void* workspace, Workers& workers) {
  if (m < least_copied_rows) {
    multiply_block_rows({a, sizes.k, m, out}, sizes, packed, epilogue, isa, nullptr, workers);
    return;
  }
  auto* const copy = static_cast<float*>(workspace);
  std::byte* const slabs = static_cast<std::byte*>(workspace) + copy_bytes(m, sizes);
  const std::int64_t stride = row_lines(sizes) * line_floats;
  const std::int64_t grain = std::max<std::int64_t>(1, least_task / stride);
  for (std::int64_t first = 0; first < m; first += most_copied_rows) {
    const std::int64_t rows = std::min(most_copied_rows, m - first);
    workers.parallel_ranges(rows, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row)
        std::copy_n(a + (first + row) * sizes.k, sizes.k, copy + row * stride);
    });
    Epilogue part = epilogue;
    if (part.residual != nullptr) part.residual += first * part.residual_stride;
    multiply_block_rows({copy, stride, rows, out + first * sizes.n}, sizes, packed, part, isa,
                        slabs, workers);
  }
}

}  // namespace ortool::cpu
