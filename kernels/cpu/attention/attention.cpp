// Attention: partitions the work into tasks and runs them on the threads, each with its own
// workspace slot.
#include "kernels/cpu/attention/attention.hpp"

#include "kernels/cpu/attention/attention_task.hpp"
#include "kernels/cpu/gemm/f32/packed_product.hpp"
#include "kernels/cpu/parallel/workspace_slots.hpp"

namespace ortool::cpu {
namespace {

/// Up to this many query rows per head, keys and values are read in place rather than packed.
constexpr std::int64_t skinny_rows = 4;
constexpr std::int64_t wanted_tasks = 16;
/// Minimum rows per task: packing keys and values once per task costs as much as several rows.
constexpr std::int64_t min_task_rows = 64;
/// Maximum rows per task under a causal mask or window; smaller tasks skip more of the hidden keys.
constexpr std::int64_t max_bounded_rows = 256;
constexpr std::int64_t block_bytes = 384 * 1024;
/// Multiplications that justify waking a thread.
constexpr std::int64_t grain_products = 100000;

std::int64_t divide_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

}  // namespace

AttentionPartition partition_attention(const AttentionSizes& sizes, const AttentionRules& rules,
                                       Isa isa) {
  AttentionPartition cut;
  cut.rows = sizes.query_heads / std::max<std::int64_t>(1, sizes.shared_heads) * sizes.queries;
  if (cut.rows == 0) return cut;
  const std::int64_t heads = std::max<std::int64_t>(1, sizes.batch * sizes.shared_heads);
  const std::int64_t pieces = divide_up(wanted_tasks, heads);
  cut.is_skinny = cut.rows <= skinny_rows;
  cut.task_rows = std::max(min_task_rows, divide_up(cut.rows, pieces));
  const bool is_bounded = rules.is_causal || rules.left_window >= 0 || rules.right_window >= 0;
  if (is_bounded) cut.task_rows = std::min(cut.task_rows, max_bounded_rows);
  cut.task_rows = std::min(cut.task_rows, cut.rows);
  cut.tasks = divide_up(cut.rows, cut.task_rows);
  cut.task_rows = divide_up(cut.rows, cut.tasks);
  const std::int64_t panel = gemm_functions(isa).max_rows;
  const std::int64_t fitting = block_bytes / (4 * std::max<std::int64_t>(1, sizes.keys));
  cut.block_rows = std::min(cut.task_rows, std::max<std::int64_t>(2, fitting / panel) * panel);
  const std::int64_t products = std::max<std::int64_t>(
      1, cut.task_rows * sizes.keys * (sizes.key_size + sizes.value_size + 8));
  cut.grain = std::max<std::int64_t>(1, grain_products / products);
  return cut;
}

std::int64_t attention_workspace_bytes(const AttentionSizes& sizes, const AttentionRules& rules,
                                       Isa isa, int threads) {
  const AttentionPartition cut = partition_attention(sizes, rules, isa);
  const std::int64_t parts = std::min<std::int64_t>(threads, WorkspaceSlots::most);
  return attention_space(sizes, rules, cut, isa).bytes() * parts;
}

void attention(const AttentionSizes& sizes, const AttentionRules& rules,
               const AttentionOperands<float>& operands, Isa isa, void* workspace,
               Workers& workers) {
  const AttentionPartition cut = partition_attention(sizes, rules, isa);
  if (cut.rows == 0) return;
  const AttentionCall call = {sizes, rules, operands, cut, isa};
  WorkspaceSlots slots(workspace, attention_space(sizes, rules, cut, isa).bytes(), workers.count());
  const std::int64_t tasks = sizes.batch * sizes.shared_heads * cut.tasks;
  workers.parallel_ranges(tasks, cut.grain, [&](std::int64_t begin, std::int64_t end) {
    const WorkspaceSlots::Lease lease(slots);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t head = i / cut.tasks;
      const std::int64_t first = i % cut.tasks * cut.task_rows;
      run_attention_task(call,
                         {head / sizes.shared_heads, head % sizes.shared_heads, first,
                          std::min(first + cut.task_rows, cut.rows)},
                         reinterpret_cast<float*>(lease.data()));
    }
  });
}

}  // namespace ortool::cpu
