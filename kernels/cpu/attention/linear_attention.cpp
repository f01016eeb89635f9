// Linear attention: each task runs all time steps for some columns of a state matrix.
#include "kernels/cpu/attention/linear_attention.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/attention/linear_attention_rows.hpp"
#include "kernels/cpu/isa/unary_f32.hpp"
#include "kernels/cpu/parallel/workspace_slots.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t strip_columns = 64;

std::int64_t slot_bytes(const LinearAttentionSizes& sizes) {
  return (sizes.key_size * 4 + 63) / 64 * 64;
}

/// All time steps for some columns of one head; `factors` has room for one float per state row.
void run_strip(const LinearAttentionSizes& sizes, const LinearAttentionOperands& operands, Isa isa,
               std::int64_t batch, std::int64_t head, std::int64_t column, float* factors) {
  const std::int64_t group = std::max<std::int64_t>(1, sizes.query_heads / sizes.shared_heads);
  const std::int64_t query_head = head * sizes.query_heads / sizes.shared_heads;
  const std::int64_t key_head = head * sizes.key_heads / sizes.shared_heads;
  const std::int64_t decays = operands.has_decay_rows ? sizes.key_size : 1;
  LinearStep step = {};
  step.stride = sizes.value_size;
  step.key_size = sizes.key_size;
  step.columns = std::min(strip_columns, sizes.value_size - column);
  step.state = operands.state +
               (batch * sizes.shared_heads + head) * sizes.key_size * sizes.value_size + column;
  step.decay = operands.decay == nullptr ? nullptr : factors;
  step.decay_step = operands.has_decay_rows ? 1 : 0;
  step.has_beta = operands.beta == nullptr ? 0 : 1;
  step.queries = group;
  step.query_stride = sizes.key_size;
  step.scale = operands.scale;
  step.out_stride = sizes.value_size;
  for (std::int64_t i = 0; i < sizes.length; ++i) {
    const std::int64_t row = batch * sizes.length + i;
    const std::int64_t place = row * sizes.shared_heads + head;
    step.key = operands.keys + (row * sizes.key_heads + key_head) * sizes.key_size;
    step.value = operands.values + place * sizes.value_size + column;
    step.query = operands.queries + (row * sizes.query_heads + query_head) * sizes.key_size;
    step.out = operands.out + place * group * sizes.value_size + column;
    if (operands.decay != nullptr)
      unary_f32_function(isa)(UnaryOp::exp, operands.decay + place * decays, factors, decays, 0, 0);
    if (operands.beta != nullptr) step.beta = operands.beta[operands.has_beta_heads ? place : row];
    linear_step_function(isa)(step);
  }
}

}  // namespace

std::int64_t linear_attention_workspace_bytes(const LinearAttentionSizes& sizes, int threads) {
  return slot_bytes(sizes) * std::min(threads, WorkspaceSlots::most);
}

void linear_attention(const LinearAttentionSizes& sizes, const LinearAttentionOperands& operands,
                      Isa isa, void* workspace, Workers& workers) {
  const std::int64_t strips = (sizes.value_size + strip_columns - 1) / strip_columns;
  const std::int64_t products = std::max<std::int64_t>(
      1, sizes.length * sizes.key_size * std::min(strip_columns, sizes.value_size));
  WorkspaceSlots slots(workspace, slot_bytes(sizes), workers.count());
  workers.parallel_ranges(
      sizes.batch * sizes.shared_heads * strips, std::max<std::int64_t>(1, 50000 / products),
      [&](std::int64_t begin, std::int64_t end) {
        const WorkspaceSlots::Lease lease(slots);
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t head = i / strips;
          run_strip(sizes, operands, isa, head / sizes.shared_heads, head % sizes.shared_heads,
                    i % strips * strip_columns, reinterpret_cast<float*>(lease.data()));
        }
      });
}

}  // namespace ortool::cpu
