// Broadcasting: up to three operands with ONNX's broadcasting rules, reduced to the fewest loops.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace ortool::cpu {

/// How to iterate over an output whose operands are contiguous tensors, broadcast along some axes.
struct BroadcastPlan {
  static constexpr int max_operands = 3;

  struct Loop {
    std::int64_t size = 1;
    /// Stride in elements for each operand; 0 where it is broadcast. In the innermost loop 0 or 1.
    std::int64_t strides[max_operands] = {};
  };

  std::vector<std::int64_t> shape;  ///< of the output
  std::int64_t count = 1;           ///< elements of the output
  std::vector<Loop> loops;          ///< outermost first, at least one; sizes multiply to count
};

/// Throws ErrorCode::invalid if the shapes cannot be broadcast or the output exceeds 2^40 elements.
/// Takes one to three shapes of nonnegative dimensions.
BroadcastPlan make_broadcast_plan(std::initializer_list<std::span<const std::int64_t>> shapes);
inline BroadcastPlan make_broadcast_plan(std::span<const std::int64_t> a,
                                         std::span<const std::int64_t> b) {
  return make_broadcast_plan({a, b});
}

/// Calls body(offsets of the operands, offset of the output, length) for the innermost-loop ranges
/// that make up output elements [begin, end).
template <typename Body>
void walk_rows(const BroadcastPlan& plan, std::int64_t begin, std::int64_t end, Body body) {
  if (begin >= end) return;
  constexpr int operands = BroadcastPlan::max_operands;
  const std::size_t outer = plan.loops.size() - 1;
  const BroadcastPlan::Loop& inner = plan.loops.back();
  std::vector<std::int64_t> index(outer);
  std::int64_t offsets[operands] = {};
  std::int64_t rest = begin / inner.size;
  for (std::size_t i = outer; i-- > 0;) {
    index[i] = rest % plan.loops[i].size;
    rest /= plan.loops[i].size;
    for (int k = 0; k < operands; ++k) offsets[k] += index[i] * plan.loops[i].strides[k];
  }
  std::int64_t skipped = begin % inner.size;
  while (begin < end) {
    const std::int64_t length = std::min(inner.size - skipped, end - begin);
    std::int64_t starts[operands];
    for (int k = 0; k < operands; ++k) starts[k] = offsets[k] + skipped * inner.strides[k];
    body(starts, begin, length);
    begin += length;
    skipped = 0;
    for (std::size_t i = outer; i-- > 0;) {
      const BroadcastPlan::Loop& loop = plan.loops[i];
      if (++index[i] < loop.size) {
        for (int k = 0; k < operands; ++k) offsets[k] += loop.strides[k];
        break;
      }
      index[i] = 0;
      for (int k = 0; k < operands; ++k) offsets[k] -= (loop.size - 1) * loop.strides[k];
    }
  }
}

}  // namespace ortool::cpu
