// Weight-only quantized MatMul in integers: rows are quantized first; tasks are column panels, each
// of which stays in cache while all rows are multiplied by it.
#include "kernels/cpu/gemm/weight_only/matmul_nbits_int8.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/gemm/f32/epilogue.hpp"
#include "kernels/cpu/gemm/weight_only/int8_microkernel.hpp"
#include "kernels/cpu/parallel/workspace_slots.hpp"

namespace ortool::cpu {
namespace {

/// Multiplications that justify a task, and elements to be quantized that do.
constexpr std::int64_t min_multiplications = 1 << 18;
constexpr std::int64_t min_quantized = 1 << 14;
/// Rows multiplied at a time, so that their codes stay in the L2 cache.
constexpr std::int64_t max_int8_rows = 256;
constexpr std::int64_t cache_line = 64;

Int8PanelLayout layout_of(const BlockMatMulSizes& sizes) {
  return {sizes.blocks(), sizes.block_size, sizes.bits, sizes.has_zeros ? 1 : 0};
}

std::int64_t panel_count(const BlockMatMulSizes& sizes) {
  return (sizes.n + int8_panel_columns - 1) / int8_panel_columns;
}

std::uint32_t bits_at(const std::uint8_t* bytes, std::int64_t index, int bits) {
  const auto byte = static_cast<std::uint32_t>(bytes[index * bits / 8]);
  return byte >> (index * bits % 8) & ((1U << bits) - 1U);
}

/// The four bytes of a column in 64 bytes of codes, from four bytes of codes in order.
std::uint32_t interleaved(const std::uint8_t* from, int bits) {
  std::uint32_t word = 0;
  if (bits == 8) {
    std::memcpy(&word, from, sizeof word);
  } else if (bits == 4) {
    const std::uint32_t first = from[0] | static_cast<std::uint32_t>(from[1]) << 16;
    const std::uint32_t second = from[2] | static_cast<std::uint32_t>(from[3]) << 16;
    word = (first & 0x000F000FU) | (first & 0x00F000F0U) << 4 | (second & 0x000F000FU) << 4 |
           (second & 0x00F000F0U) << 8;
  } else {
    for (int quad = 0; quad < 4; ++quad) {
      for (int i = 0; i < 4; ++i) {
        const std::uint32_t code = static_cast<std::uint32_t>(from[quad]) >> (2 * i) & 3U;
        word |= code << (8 * i + 2 * quad);
      }
    }
  }
  return word;
}

void pack_column(const BlockMatMulSizes& sizes, const BlockMatrix& matrix, std::int64_t column,
                 std::uint8_t* panel) {
  const Int8PanelLayout layout = layout_of(sizes);
  const std::int64_t lane = column % int8_panel_columns;
  const std::int64_t column_bytes = sizes.block_size * sizes.bits / 8;
  const std::int64_t row_bytes = (layout.blocks * sizes.bits + 7) / 8;
  std::uint8_t* zeros = panel + layout.scale_bytes();
  std::uint8_t* codes = zeros + layout.zero_bytes();
  for (std::int64_t block = 0; block < layout.blocks; ++block) {
    const std::int64_t place = column * layout.blocks + block;
    std::memcpy(panel + (block * int8_panel_columns + lane) * 4, matrix.scales + place, 4);
    if (sizes.has_zeros) {
      zeros[block * int8_panel_columns + lane] = static_cast<std::uint8_t>(
          bits_at(matrix.zero_points + column * row_bytes, block, sizes.bits));
    }
    const std::uint8_t* from = matrix.codes + place * column_bytes;
    std::uint8_t* to = codes + block * layout.block_code_bytes() + lane * 4;
    for (std::int64_t byte = 0; byte < column_bytes; byte += 4, to += cache_line) {
      const std::uint32_t word = interleaved(from + byte, sizes.bits);
      std::memcpy(to, &word, sizeof word);
    }
  }
}

/// The parts of the workspace.
struct Int8Workspace {
  Int8BlockRows rows = {};
  std::byte* scratch = nullptr;
  std::int64_t slot_bytes = 0;
};

std::int64_t lines_of(std::int64_t bytes) {
  return (bytes + cache_line - 1) / cache_line * cache_line;
}

/// An odd number of lines, so that rows map to different cache sets.
std::int64_t code_stride(const BlockMatMulSizes& sizes) {
  return (lines_of(sizes.blocks() * sizes.block_size) / cache_line | 1) * cache_line;
}

std::int64_t number_bytes(std::int64_t rows, const BlockMatMulSizes& sizes) {
  return lines_of(rows * sizes.blocks() * 4);
}

Int8Workspace cut_workspace(void* workspace, std::int64_t rows, const BlockMatMulSizes& sizes) {
  auto* const bytes = static_cast<std::byte*>(workspace);
  std::byte* const scales = bytes + rows * code_stride(sizes);
  std::byte* const terms = scales + number_bytes(rows, sizes);
  Int8Workspace cut;
  cut.rows = {reinterpret_cast<std::int8_t*>(bytes), code_stride(sizes),
              reinterpret_cast<float*>(scales), reinterpret_cast<std::int32_t*>(terms), rows};
  cut.scratch = terms + number_bytes(rows, sizes);
  cut.slot_bytes = lines_of(int8_scratch_bytes(rows));
  return cut;
}

/// Rows of the left operand, and the output for them.
struct FloatRows {
  const float* a;
  std::int64_t count;
  float* out;
};

void quantize_rows(const FloatRows& rows, const BlockMatMulSizes& sizes, const Int8BlockRows& to,
                   const Int8BlockFunctions& functions, Workers& workers) {
  const std::int64_t grain = std::max<std::int64_t>(1, min_quantized / sizes.k);
  workers.parallel_ranges(rows.count, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      functions.quantize({rows.a + row * sizes.k, sizes.k, to.from(row), layout_of(sizes)});
    }
  });
}

void multiply_int8_panels(const FloatRows& rows, const BlockMatMulSizes& sizes,
                          const std::byte* packed, const Epilogue& epilogue, Isa isa,
                          const Int8Workspace& space, Workers& workers) {
  const Int8BlockFunctions& functions = int8_block_functions(isa);
  const Int8PanelLayout layout = layout_of(sizes);
  const std::int64_t group = functions.max_panels;
  const std::int64_t groups = (panel_count(sizes) + group - 1) / group;
  const std::int64_t work =
      std::max<std::int64_t>(1, rows.count * sizes.k * int8_panel_columns * group);
  const std::int64_t grain = std::max<std::int64_t>(1, min_multiplications / work);
  const WorkspaceSlots slots(space.scratch, space.slot_bytes, workers.count());
  workers.parallel_ranges(groups, grain, [&](std::int64_t begin, std::int64_t end) {
    const WorkspaceSlots::Lease lease(slots);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t panel = i * group;
      const std::int64_t column = panel * int8_panel_columns;
      Int8BlockTask task = {};
      task.a = space.rows;
      task.rows = rows.count;
      task.panel = reinterpret_cast<const std::uint8_t*>(packed) + panel * layout.bytes();
      task.panels = std::min(group, panel_count(sizes) - panel);
      task.layout = layout;
      task.out = rows.out + column;
      task.out_stride = sizes.n;
      task.columns = std::min(task.panels * int8_panel_columns, sizes.n - column);
      task.scratch = reinterpret_cast<std::uint8_t*>(lease.data());
      functions.multiply(task);
      if (changes_sums(epilogue)) {
        GemmTile tile = {};
        set_epilogue(tile, epilogue, 0, column);
        tile.c = task.out;
        tile.c_stride = task.out_stride;
        tile.rows = static_cast<std::int32_t>(task.rows);
        tile.columns = static_cast<std::int32_t>(task.columns);
        apply_epilogue(tile, tile.c, tile.c_stride);
        apply_activation(tile, gemm_functions(isa));
      }
      workers.poll();
    }
  });
}

}  // namespace

std::int64_t packed_int8_blocks_bytes(const BlockMatMulSizes& sizes) {
  return panel_count(sizes) * layout_of(sizes).bytes();
}

void pack_int8_blocks(const BlockMatMulSizes& sizes, const BlockMatrix& matrix, std::byte* out) {
  const std::int64_t panel_bytes = layout_of(sizes).bytes();
  std::memset(out, 0, static_cast<std::size_t>(packed_int8_blocks_bytes(sizes)));
  for (std::int64_t column = 0; column < sizes.n; ++column) {
    pack_column(sizes, matrix, column,
                reinterpret_cast<std::uint8_t*>(out) + column / int8_panel_columns * panel_bytes);
  }
}

std::int64_t int8_block_matmul_workspace_bytes(std::int64_t m, const BlockMatMulSizes& sizes,
                                               Isa isa, int threads) {
  const std::int64_t rows = std::min(m, max_int8_rows);
  const Int8Workspace space = cut_workspace(nullptr, rows, sizes);
  const std::int64_t shared = rows * code_stride(sizes) + 2 * number_bytes(rows, sizes);
  const bool has_sums = rows >= int8_block_functions(isa).tiled_rows;
  return shared + (has_sums ? threads * space.slot_bytes : 0);
}

void int8_block_matmul(std::int64_t m, const BlockMatMulSizes& sizes, const float* a,
                       const std::byte* packed, float* out, const Epilogue& epilogue, Isa isa,
                       void* workspace, Workers& workers) {
  const Int8Workspace space = cut_workspace(workspace, std::min(m, max_int8_rows), sizes);
  for (std::int64_t first = 0; first < m; first += max_int8_rows) {
    const FloatRows rows = {a + first * sizes.k, std::min(max_int8_rows, m - first),
                            out + first * sizes.n};
    Epilogue part = epilogue;
    if (part.residual != nullptr) part.residual += first * part.residual_stride;
    quantize_rows(rows, sizes, space.rows, int8_block_functions(isa), workers);
    multiply_int8_panels(rows, sizes, packed, part, isa, space, workers);
  }
}

}  // namespace ortool::cpu
