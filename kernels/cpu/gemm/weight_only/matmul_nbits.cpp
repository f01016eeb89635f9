// Weight-only quantized MatMul: tasks are column panels; a panel stays in cache while all rows are
// multiplied by it.
#include "kernels/cpu/gemm/weight_only/matmul_nbits.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/gemm/f32/epilogue.hpp"
#include "kernels/cpu/gemm/weight_only/microkernel.hpp"
#include "kernels/cpu/parallel/workspace_slots.hpp"

namespace ortool::cpu {
namespace {

/// Multiplications that justify a task.
constexpr std::int64_t min_task = 1 << 16;
/// For many rows: the wanted number of tasks, and the most column panels per task.
constexpr std::int64_t wanted_tasks = 16;
constexpr std::int64_t max_panels = 8;

/// From this many rows on, rows read together are copied first, so that their elements at one step
/// of k do not all map to the same L1 cache set.
constexpr std::int64_t min_copied_rows = 4;
constexpr std::int64_t line_floats = 16;
constexpr std::int64_t line_bytes = 64;
/// Rows copied at a time, which keeps the copy small.
constexpr std::int64_t max_copied_rows = 512;

std::int64_t panels_of(const BlockMatMulSizes& sizes) {
  return (sizes.n + block_panel_columns - 1) / block_panel_columns;
}

/// Codes of 2 bits are stored in 4, moved so that the middle code becomes that of 4 bits.
int stored_bits(const BlockMatMulSizes& sizes) {
  return std::max(sizes.bits, 4);
}

/// Bytes of one block of a panel.
std::int64_t block_bytes(const BlockMatMulSizes& sizes) {
  const std::int64_t params = sizeof(float) + (sizes.has_zeros ? 1 : 0);
  return block_panel_columns * (params + sizes.block_size * stored_bits(sizes) / 8);
}

/// A code as it is stored: with 8 bits signed.
int stored_code(const std::uint8_t* bytes, std::int64_t index, int bits) {
  if (bits == 8) return bytes[index] ^ 0x80;
  if (bits == 4) return bytes[index / 2] >> (index % 2 * 4) & 15;
  return (bytes[index / 4] >> (index % 4 * 2) & 3) + 6;
}

std::uint8_t stored_byte(const std::uint8_t* codes, std::int64_t byte, int bits, bool starts_high) {
  if (bits == 8) return static_cast<std::uint8_t>(codes[byte] ^ 0x80);
  if (bits == 4 && starts_high)
    return static_cast<std::uint8_t>(codes[byte] >> 4 | codes[byte] << 4);
  if (bits == 4) return codes[byte];
  const int low = stored_code(codes, 2 * byte, bits);
  return static_cast<std::uint8_t>(low | stored_code(codes, 2 * byte + 1, bits) << 4);
}

/// Packs one block of up to 16 columns; missing columns are zero.
void pack_block(const BlockMatMulSizes& sizes, const BlockMatrix& matrix, std::int64_t panel,
                std::int64_t block, std::uint8_t* out) {
  const std::int64_t code_bytes = sizes.block_size * sizes.bits / 8;
  const std::int64_t zero_bytes = (sizes.blocks() * sizes.bits + 7) / 8;
  const std::int64_t stored_bytes = sizes.block_size * stored_bits(sizes) / 8;
  std::uint8_t* codes = out + block_panel_columns * static_cast<std::int64_t>(
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
              stored_code(matrix.zero_points + column * zero_bytes, block, sizes.bits));
    }
    const std::uint8_t* from = matrix.codes + place * code_bytes;
    for (std::int64_t byte = 0; byte < stored_bytes; ++byte)
      codes[byte * block_panel_columns + i] =
          stored_byte(from, byte, sizes.bits, matrix.starts_high);
  }
}

/// Cache lines of a copied row: an odd number, so that rows map to different cache sets.
std::int64_t row_lines(const BlockMatMulSizes& sizes) {
  return (sizes.k + line_floats - 1) / line_floats | 1;
}

std::int64_t copy_bytes(std::int64_t m, const BlockMatMulSizes& sizes) {
  return m < min_copied_rows ? 0 : std::min(m, max_copied_rows) * row_lines(sizes) * line_bytes;
}

/// Bytes of dequantized columns.
std::int64_t made_bytes(Isa isa) {
  return max_panel_steps * gemm_functions(isa).panel_columns *
         static_cast<std::int64_t>(sizeof(float));
}

/// The part of the result that a task has computed.
GemmTile made_tile(const Epilogue& epilogue, const BlockPanelTask& task, std::int64_t column) {
  GemmTile tile = {};
  set_epilogue(tile, epilogue, 0, column);
  tile.c = task.out;
  tile.c_stride = task.out_stride;
  tile.rows = static_cast<std::int32_t>(task.rows);
  tile.columns = static_cast<std::int32_t>(task.columns);
  return tile;
}

/// Dequantizes columns on the fly for the float32 GEMM.
class QuantizedColumns : public ColumnPacker {
 public:
  QuantizedColumns(const BlockMatMulSizes& sizes, const std::byte* packed,
                   const BlockRowFunctions& functions)
      : sizes_(sizes),
        packed_(reinterpret_cast<const std::uint8_t*>(packed)),
        functions_(functions) {
    task_.k = sizes.k;
    task_.panel_stride = sizes.blocks() * block_bytes(sizes);
    task_.block_size = sizes.block_size;
    task_.bits = stored_bits(sizes);
    task_.has_zeros = sizes.has_zeros ? 1 : 0;
    task_.table = sizes.table;
  }

  void make(std::int64_t column, std::int64_t stored, std::int64_t begin, std::int64_t end,
            float* to) const override {
    if (stored % block_panel_columns != 0) return make_narrow(column, stored, begin, end, to);
    for (std::int64_t at = 0; at < stored; at += block_panel_columns)
      unpack(column + at, begin, end - begin, to + at, stored);
  }
  const void* source(std::int64_t column, std::int64_t begin, std::int64_t half) const override {
    const std::int64_t panel = std::min(column / block_panel_columns + half, panels_of(sizes_) - 1);
    return packed_ + panel * task_.panel_stride + begin * block_bytes(sizes_) / sizes_.block_size;
  }
  std::int64_t source_step() const override {
    return (block_bytes(sizes_) + sizes_.block_size - 1) / sizes_.block_size;
  }

 private:
  void unpack(std::int64_t column, std::int64_t first, std::int64_t count, float* to,
              std::int64_t step) const {
    BlockPanelTask task = task_;
    task.panel = packed_ + column / block_panel_columns * task.panel_stride;
    functions_.unpack(task, first, count, to, step);
  }

  /// Columns that are only a part of a panel.
  void make_narrow(std::int64_t column, std::int64_t stored, std::int64_t begin, std::int64_t end,
                   float* to) const {
    constexpr std::int64_t max_steps = 16;
    float whole[max_steps * block_panel_columns];
    for (; begin < end; begin += max_steps) {
      const std::int64_t count = std::min(max_steps, end - begin);
      unpack(column, begin, count, whole, block_panel_columns);
      for (std::int64_t i = 0; i < count; ++i, to += stored)
        std::copy_n(whole + i * block_panel_columns + column % block_panel_columns, stored, to);
    }
  }

  const BlockMatMulSizes& sizes_;
  const std::uint8_t* packed_;
  const BlockRowFunctions& functions_;
  BlockPanelTask task_ = {};
};

/// Rows of the left operand, and the output for them.
struct RowsOfFloats {
  const float* a;
  std::int64_t stride;
  std::int64_t count;
  float* out;
};

void multiply_block_rows(const RowsOfFloats& rows, const BlockMatMulSizes& sizes,
                         const std::byte* packed, const Epilogue& epilogue, Isa isa,
                         Workers& workers) {
  const BlockRowFunctions& functions = block_row_functions(isa);
  const std::int64_t panel_bytes = sizes.blocks() * block_bytes(sizes);
  const std::int64_t group = functions.max_panels;
  const std::int64_t groups = (panels_of(sizes) + group - 1) / group;
  const std::int64_t work =
      std::max<std::int64_t>(1, rows.count * sizes.k * block_panel_columns * group);
  const std::int64_t grain = std::max<std::int64_t>(1, min_task / work);
  workers.parallel_ranges(groups, grain, [&](std::int64_t begin, std::int64_t end) {
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
      task.bits = stored_bits(sizes);
      task.has_zeros = sizes.has_zeros ? 1 : 0;
      task.table = sizes.table;
      task.out = rows.out + column;
      task.out_stride = sizes.n;
      task.columns = std::min(task.panels * block_panel_columns, sizes.n - column);
      functions.multiply(task);
      if (changes_sums(epilogue)) {
        const GemmTile tile = made_tile(epilogue, task, column);
        apply_epilogue(tile, tile.c, tile.c_stride);
        apply_activation(tile, gemm_functions(isa));
      }
      workers.poll();
    }
  });
}

/// For many rows: rows are packed, and columns are dequantized once for all of them.
void multiply_made_columns(const RowsOfFloats& given, const BlockMatMulSizes& sizes,
                           const std::byte* packed, const Epilogue& epilogue, Isa isa,
                           float* packed_rows, void* made, Workers& workers) {
  const GemmFunctions& functions = gemm_functions(isa);
  const QuantizedColumns packer(sizes, packed, block_row_functions(isa));
  const RowPanels rows = cut_rows(given.count, functions);
  const ColumnPanels columns = cut_columns(sizes.n, functions);
  const std::int64_t pack_grain =
      std::max<std::int64_t>(1, min_task / (functions.max_rows * sizes.k));
  workers.parallel_ranges(rows.count, pack_grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t panel = begin; panel < end; ++panel)
      pack_row_panel(rows, panel, sizes.k, {given.a, given.stride, false}, functions, packed_rows);
  });
  const WorkspaceSlots slots(made, made_bytes(isa), workers.count());
  const std::int64_t grain = std::clamp<std::int64_t>(columns.count / wanted_tasks, 1, max_panels);
  workers.parallel_ranges(columns.count, grain, [&](std::int64_t begin, std::int64_t end) {
    const WorkspaceSlots::Lease lease(slots);
    const PanelProduct product{.functions = &functions,
                               .k = sizes.k,
                               .rows = rows,
                               .columns = columns,
                               .a = packed_rows,
                               .packer = &packer,
                               .made = reinterpret_cast<float*>(lease.data()),
                               .c = given.out,
                               .c_stride = sizes.n,
                               .epilogue = &epilogue,
                               .stop = workers.stop()};
    multiply_panels(product, 0, rows.count, begin, end);
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
  const bool has_made = m >= block_row_functions(isa).slab_rows;
  return copy_bytes(m, sizes) + (has_made ? threads * made_bytes(isa) : 0);
}

void block_matmul(std::int64_t m, const BlockMatMulSizes& sizes, const float* a,
                  const std::byte* packed, float* out, const Epilogue& epilogue, Isa isa,
                  void* workspace, Workers& workers) {
  if (m < min_copied_rows) {
    multiply_block_rows({a, sizes.k, m, out}, sizes, packed, epilogue, isa, workers);
    return;
  }
  auto* const copy = static_cast<float*>(workspace);
  std::byte* const made = static_cast<std::byte*>(workspace) + copy_bytes(m, sizes);
  const std::int64_t stride = row_lines(sizes) * line_floats;
  const std::int64_t grain = std::max<std::int64_t>(1, min_task / stride);
  const bool has_made = m >= block_row_functions(isa).slab_rows;
  for (std::int64_t first = 0; first < m; first += max_copied_rows) {
    const RowsOfFloats rows = {a + first * sizes.k, sizes.k, std::min(max_copied_rows, m - first),
                               out + first * sizes.n};
    Epilogue part = epilogue;
    if (part.residual != nullptr) part.residual += first * part.residual_stride;
    if (has_made) {
      multiply_made_columns(rows, sizes, packed, part, isa, copy, made, workers);
      continue;
    }
    workers.parallel_ranges(rows.count, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row)
        std::copy_n(rows.a + row * sizes.k, sizes.k, copy + row * stride);
    });
    multiply_block_rows({copy, stride, rows.count, rows.out}, sizes, packed, part, isa, workers);
  }
}

}  // namespace ortool::cpu
