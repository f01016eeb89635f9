// Panels of columns are the tasks; a panel stays near while all rows pass by.
#include "kernels/cpu/matmul_blocks.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/block_rows.hpp"

namespace ortool::cpu {
namespace {

/// Multiplications that are worth a task.
constexpr std::int64_t least_task = 1 << 16;

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

void block_matmul(std::int64_t m, const BlockMatMulSizes& sizes, const float* a,
                  const std::byte* packed, float* out, Isa isa, Workers& workers) {
  const BlockRowFunctions& functions = block_functions(isa);
  const std::int64_t panel_bytes = sizes.blocks() * block_bytes(sizes);
  const std::int64_t work = std::max<std::int64_t>(1, m * sizes.k * block_panel_columns);
  const std::int64_t grain = std::max<std::int64_t>(1, least_task / work);
  workers.parallel_ranges(panels_of(sizes), grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t panel = begin; panel < end; ++panel) {
      const std::int64_t column = panel * block_panel_columns;
      BlockPanelTask task;
      task.a_stride = sizes.k;
      task.k = sizes.k;
      task.panel = reinterpret_cast<const std::uint8_t*>(packed) + panel * panel_bytes;
      task.block_size = sizes.block_size;
      task.bits = sizes.bits;
      task.has_zeros = sizes.has_zeros ? 1 : 0;
      task.out_stride = sizes.n;
      task.columns = std::min(block_panel_columns, sizes.n - column);
      for (std::int64_t row = 0; row < m; row += functions.most_rows) {
        task.rows = std::min(functions.most_rows, m - row);
        task.a = a + row * sizes.k;
        task.out = out + row * sizes.n + column;
        functions.multiply(task);
      }
    }
  });
}

}  // namespace ortool::cpu
