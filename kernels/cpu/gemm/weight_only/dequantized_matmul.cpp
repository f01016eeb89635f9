// MatMul with coded weights: the float32 GEMM, whose columns are dequantized as they are needed.
#include "kernels/cpu/gemm/weight_only/dequantized_matmul.hpp"

#include <algorithm>

#include "kernels/cpu/parallel/workspace_slots.hpp"

namespace ortool::cpu {
namespace {

/// The wanted number of tasks, the most column panels per task, and the most rows packed at a time.
constexpr std::int64_t wanted_column_tasks = 16;
constexpr std::int64_t most_column_panels = 8;
constexpr std::int64_t most_packed_rows = 512;

std::uint32_t code_of(const CodedMatrix& matrix, std::int64_t index) {
  const auto byte = static_cast<std::uint32_t>(matrix.codes[index * matrix.bits / 8]);
  const std::int64_t shift = index * matrix.bits % 8;
  const bool is_high = matrix.starts_high && matrix.bits == 4;
  return byte >> (is_high ? 4 - shift : shift) & ((1U << matrix.bits) - 1U);
}

/// Codes [begin, end) of a row, which share one scale.
void dequantize_block(const CodedMatrix& matrix, std::int64_t row, std::int64_t begin,
                      std::int64_t end, std::int64_t number, float* out) {
  const float scale = matrix.scales[number];
  const float zero = matrix.zeros != nullptr ? matrix.zeros[number] : 0.0F;
  decode_codes(matrix, row, begin, end, out);
  for (std::int64_t i = 0; i < end - begin; ++i) out[i] = (out[i] - zero) * scale;
}

class CodedColumns : public ColumnPacker {
 public:
  explicit CodedColumns(const CodedMatrix& matrix) : matrix_(matrix) {}

  void make(std::int64_t column, std::int64_t stored, std::int64_t begin, std::int64_t end,
            float* to) const override {
    const std::int64_t columns = std::min(stored, matrix_.columns() - column);
    float whole[max_panel_steps];
    if (columns < stored) std::fill_n(to, (end - begin) * stored, 0.0F);
    if (!matrix_.is_transposed) {
      for (std::int64_t step = begin; step < end; ++step)
        dequantize_codes(matrix_, step, column, column + columns, to + (step - begin) * stored);
      return;
    }
    for (std::int64_t i = 0; i < columns; ++i) {
      dequantize_codes(matrix_, column + i, begin, end, whole);
      for (std::int64_t step = 0; step < end - begin; ++step) to[step * stored + i] = whole[step];
    }
  }
  const void* source(std::int64_t column, std::int64_t begin, std::int64_t) const override {
    const std::int64_t row = matrix_.is_transposed ? column : begin;
    const std::int64_t step = matrix_.is_transposed ? begin : column;
    const std::int64_t bytes = matrix_.rows * matrix_.row_codes * matrix_.bits / 8;
    return matrix_.codes + std::min((row * matrix_.row_codes + step) * matrix_.bits / 8, bytes - 1);
  }
  std::int64_t source_step() const override { return 0; }

 private:
  const CodedMatrix& matrix_;
};

std::int64_t made_column_bytes(Isa isa) {
  return max_panel_steps * gemm_functions(isa).panel_columns *
         static_cast<std::int64_t>(sizeof(float));
}

std::int64_t packed_row_bytes(std::int64_t m, const CodedMatrix& matrix) {
  const std::int64_t bytes =
      std::min(m, most_packed_rows) * matrix.depth() * static_cast<std::int64_t>(sizeof(float));
  return (bytes + 63) / 64 * 64;
}

}  // namespace

void decode_codes(const CodedMatrix& matrix, std::int64_t row, std::int64_t begin, std::int64_t end,
                  float* out) {
  for (std::int64_t i = begin; i < end; ++i)
    out[i - begin] = matrix.table[code_of(matrix, row * matrix.row_codes + i)];
}

void dequantize_codes(const CodedMatrix& matrix, std::int64_t row, std::int64_t begin,
                      std::int64_t end, float* out) {
  const std::int64_t first = matrix.is_flat ? row * matrix.steps : 0;
  const std::int64_t row_number = matrix.is_flat ? 0 : row * matrix.blocks();
  if (matrix.groups != nullptr) {
    for (std::int64_t i = begin; i < end; ++i)
      dequantize_block(matrix, row, i, i + 1, row_number + matrix.groups[i], out + i - begin);
    return;
  }
  for (std::int64_t at = begin; at < end;) {
    const std::int64_t block = (first + at) / matrix.block_size;
    const std::int64_t next = std::min((block + 1) * matrix.block_size - first, end);
    dequantize_block(matrix, row, at, next, row_number + block, out + at - begin);
    at = next;
  }
}

std::int64_t dequantized_matmul_workspace_bytes(std::int64_t m, const CodedMatrix& matrix, Isa isa,
                                                int threads) {
  return packed_row_bytes(m, matrix) + threads * made_column_bytes(isa);
}

void dequantized_matmul(std::int64_t m, const CodedMatrix& matrix, const float* a, float* out,
                        const Epilogue& epilogue, Isa isa, void* workspace, Workers& workers) {
  const GemmFunctions& functions = gemm_functions(isa);
  const CodedColumns packer(matrix);
  const ColumnPanels columns = cut_columns(matrix.columns(), functions);
  auto* const packed = static_cast<float*>(workspace);
  const WorkspaceSlots slots(static_cast<std::byte*>(workspace) + packed_row_bytes(m, matrix),
                             made_column_bytes(isa), workers.count());
  const std::int64_t grain =
      std::clamp<std::int64_t>(columns.count / wanted_column_tasks, 1, most_column_panels);
  for (std::int64_t first = 0; first < m; first += most_packed_rows) {
    const RowPanels rows = cut_rows(std::min(most_packed_rows, m - first), functions);
    const StridedMatrix given = {a + first * matrix.depth(), matrix.depth(), false};
    Epilogue part = epilogue;
    if (part.residual != nullptr) part.residual += first * part.residual_stride;
    workers.parallel_ranges(rows.count, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t panel = begin; panel < end; ++panel)
        pack_row_panel(rows, panel, matrix.depth(), given, functions, packed);
    });
    workers.parallel_ranges(columns.count, grain, [&](std::int64_t begin, std::int64_t end) {
      const WorkspaceSlots::Lease lease(slots);
      const PanelProduct product{.functions = &functions,
                                 .k = matrix.depth(),
                                 .rows = rows,
                                 .columns = columns,
                                 .a = packed,
                                 .packer = &packer,
                                 .made = reinterpret_cast<float*>(lease.data()),
                                 .c = out + first * matrix.columns(),
                                 .c_stride = matrix.columns(),
                                 .epilogue = &part,
                                 .stop = workers.stop()};
      multiply_panels(product, 0, rows.count, begin, end);
    });
  }
}

}  // namespace ortool::cpu
