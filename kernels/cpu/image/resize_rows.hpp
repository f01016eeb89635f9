// Resize by rows: the input rows that contribute to each output row.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/image/resize.hpp"

namespace ortool::cpu {

inline std::int64_t resize_rows(const ResizePlan& plan) {
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < plan.axes.size(); ++i) rows *= plan.axes[i].out;
  return rows;
}

/// Output rows per task.
inline std::int64_t resize_grain(const ResizePlan& plan, std::int64_t work) {
  const std::int64_t row = std::max(plan.axes.back().in, plan.axes.back().out) * work;
  return std::max<std::int64_t>(1, 32768 / std::max<std::int64_t>(1, row));
}

/// Calls `add(input row, weight)` for each input row that contributes to the output row `row`;
/// false if it lies outside.
template <typename Add>
bool for_each_source(const ResizePlan& plan, std::size_t axis, std::int64_t row, std::int64_t base,
                     float weight, Add&& add) {
  if (axis + 1 == plan.axes.size()) {
    add(base, weight);
    return true;
  }
  const ResizeAxis& here = plan.axes[axis];
  std::int64_t behind = 1;
  for (std::size_t i = axis + 1; i + 1 < plan.axes.size(); ++i) behind *= plan.axes[i].out;
  const std::int64_t out = row / behind;
  const std::int64_t rest = row % behind;
  if (here.is_identity())
    return for_each_source(plan, axis + 1, rest, base * here.in + out, weight, add);
  const std::int32_t* index = here.index.data() + out * here.taps;
  if (index[0] < 0) return false;
  for (std::int64_t tap = 0; tap < here.taps; ++tap) {
    const float factor =
        here.weight.empty() ? 1.0F : here.weight[static_cast<std::size_t>(out * here.taps + tap)];
    if (factor == 0.0F) continue;
    if (!for_each_source(plan, axis + 1, rest, base * here.in + index[tap], weight * factor, add))
      return false;
  }
  return true;
}

}  // namespace ortool::cpu
