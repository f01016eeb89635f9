// Products of attention in bfloat16: the packed layout and microkernels of the bfloat16 GEMM.
#include "kernels/cpu/attention/bf16_attention.hpp"

#include <algorithm>

#include "libcore/base/error.hpp"

namespace ortool::cpu {
namespace {

std::int64_t panels_for(std::int64_t columns) {
  return (columns + bf16_panel_columns - 1) / bf16_panel_columns;
}

/// Floats that `parts` blocks of rows or panels of columns take.
std::int64_t packed_floats(std::int64_t parts, std::int64_t k) {
  return parts * bf16_steps(k) * bf16_step_values / 2;
}

const Bf16GemmFunctions& functions_at(Isa isa) {
  const Bf16GemmFunctions* functions = bf16_gemm_functions(isa);
  ORTOOL_CHECK(functions != nullptr);
  return *functions;
}

}  // namespace

Bf16AttentionSpace::Bf16AttentionSpace(const AttentionSizes& sizes, std::int64_t block_rows)
    : keys(packed_floats(panels_for(sizes.keys), sizes.key_size)),
      values(packed_floats(panels_for(sizes.value_size), sizes.keys)),
      rows(packed_floats((block_rows + bf16_block_rows - 1) / bf16_block_rows,
                         std::max(sizes.key_size, sizes.keys))) {}

Bf16AttentionProducts::Bf16AttentionProducts(const AttentionSizes& sizes, Isa isa, float* keys,
                                             float* values, float* rows)
    : functions_(functions_at(isa)),
      key_size_(sizes.key_size),
      value_size_(sizes.value_size),
      keys_(reinterpret_cast<std::uint16_t*>(keys)),
      values_(reinterpret_cast<std::uint16_t*>(values)),
      rows_(reinterpret_cast<std::uint16_t*>(rows)) {}

void Bf16AttentionProducts::pack(const StridedMatrix& keys, const StridedMatrix& values,
                                 std::int64_t count) {
  count_ = count;
  for (std::int64_t panel = 0; panel < panels_for(count); ++panel) {
    const std::int64_t first = panel * bf16_panel_columns;
    functions_.pack_transposed(keys.data + first * keys.stride, keys.stride,
                               std::min(bf16_panel_columns, count - first), key_size_,
                               keys_ + panel * bf16_steps(key_size_) * bf16_step_values);
  }
  for (std::int64_t panel = 0; panel < panels_for(value_size_); ++panel) {
    const std::int64_t first = panel * bf16_panel_columns;
    functions_.pack_columns(values.data + first, values.stride,
                            std::min(bf16_panel_columns, value_size_ - first), count,
                            values_ + panel * bf16_steps(count) * bf16_step_values);
  }
}

void Bf16AttentionProducts::multiply_keys(const float* queries, std::int64_t rows, float* scores,
                                          std::int64_t scores_stride) const {
  multiply(queries, key_size_, rows, key_size_, keys_, count_, scores, scores_stride);
}

void Bf16AttentionProducts::multiply_values(const float* weights, std::int64_t weights_stride,
                                            std::int64_t rows, float* sums) const {
  multiply(weights, weights_stride, rows, count_, values_, value_size_, sums, value_size_);
}

void Bf16AttentionProducts::multiply(const float* a, std::int64_t a_stride, std::int64_t rows,
                                     std::int64_t k, const std::uint16_t* b, std::int64_t columns,
                                     float* c, std::int64_t c_stride) const {
  if (columns == 0) return;
  const std::int64_t steps = bf16_steps(k);
  for (std::int64_t row = 0; row < rows; row += bf16_block_rows) {
    functions_.pack_rows(a + row * a_stride, a_stride, std::min(bf16_block_rows, rows - row), k,
                         rows_ + row * steps * bf16_step);
  }
  const Epilogue plain;
  Bf16Product product = {};
  product.a = rows_;
  product.b = b;
  product.steps = steps;
  product.row_end = rows;
  product.panel_end = panels_for(columns);
  product.prefetched_panels = product.panel_end;
  product.columns = columns;
  product.c = c;
  product.c_stride = c_stride;
  product.epilogue = &plain;
  functions_.multiply(product);
}

}  // namespace ortool::cpu
