// Reduction plan: merges adjacent axes of the same kind and decides where large reductions to few
// outputs are split.
#include <algorithm>

#include "kernels/cpu/reduction/reduce.hpp"
#include "kernels/cpu/reduction/reduce_loops.hpp"

namespace ortool::cpu {
namespace {

// A plan with this many tasks, or too little work, is not split into parts.
constexpr std::int64_t enough_tasks = 64;
constexpr std::int64_t min_elements_of_part = 32768;

struct Run {
  std::int64_t size;
  bool is_reduced;
};

/// The axes as alternating kept and reduced runs; axes of size 1 are ignored.
std::vector<Run> runs_of(std::span<const std::int64_t> shape, std::span<const std::int64_t> axes) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    const bool is_reduced =
        std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(i)) != axes.end();
    if (!runs.empty() && runs.back().is_reduced == is_reduced) {
      runs.back().size *= shape[i];
    } else {
      runs.push_back({shape[i], is_reduced});
    }
  }
  return runs;
}

void cut_into_parts(ReducePlan& plan) {
  const std::int64_t blocks = (plan.columns + reduce_lanes - 1) / reduce_lanes;
  const std::int64_t tasks = plan.groups * blocks;
  if (tasks == 0 || tasks >= enough_tasks) return;
  const std::int64_t elements = plan.output_count() * plan.length;
  std::int64_t most = plan.rows;
  plan.cut = plan.reduced.size();
  for (std::size_t i = plan.reduced.size(); i-- > 0;) {
    if (plan.reduced[i].size <= most) continue;
    most = plan.reduced[i].size;
    plan.cut = i;
  }
  plan.parts = std::min({enough_tasks / tasks, elements / min_elements_of_part, most});
  plan.parts = std::max<std::int64_t>(1, plan.parts);
}

}  // namespace

std::int64_t ReducePlan::workspace_bytes() const {
  return parts == 1 ? 0 : parts * output_count() * max_bytes_of_partial;
}

ReducePlan plan_reduction(std::span<const std::int64_t> shape, std::span<const std::int64_t> axes) {
  std::vector<Run> runs = runs_of(shape, axes);
  ReducePlan plan;
  if (!runs.empty() && !runs.back().is_reduced) {
    plan.columns = runs.back().size;
    runs.pop_back();
  }
  std::int64_t stride = plan.columns;
  if (!runs.empty()) {
    plan.rows = runs.back().size;
    stride *= plan.rows;
    runs.pop_back();
  }
  plan.length = plan.rows;
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    (run->is_reduced ? plan.length : plan.groups) *= run->size;
    (run->is_reduced ? plan.reduced : plan.kept).push_back({run->size, stride});
    stride *= run->size;
  }
  std::reverse(plan.kept.begin(), plan.kept.end());
  std::reverse(plan.reduced.begin(), plan.reduced.end());
  if (plan.length > 0) cut_into_parts(plan);
  return plan;
}

}  // namespace ortool::cpu
