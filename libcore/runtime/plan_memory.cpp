// Arena allocation: a sweep over the steps with a free list.
#include "libcore/runtime/plan_memory.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <queue>
#include <vector>

namespace ortool {
namespace {

/// Free list by offset; the arena grows at its end.
class Gaps {
 public:
  std::int64_t take(std::int64_t bytes) {
    for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
      if (gap->second < bytes) continue;
      const auto [offset, size] = *gap;
      gaps_.erase(gap);
      if (size > bytes) gaps_.emplace(offset + bytes, size - bytes);
      return offset;
    }
    std::int64_t offset = end_;
    if (!gaps_.empty()) {
      const auto last = std::prev(gaps_.end());
      if (last->first + last->second == end_) {
        offset = last->first;
        gaps_.erase(last);
      }
    }
    end_ = offset + bytes;
    return offset;
  }

  void give_back(std::int64_t offset, std::int64_t bytes) {
    auto next = gaps_.lower_bound(offset);
    if (next != gaps_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == offset) {
        offset = before->first;
        bytes += before->second;
        gaps_.erase(before);
      }
    }
    if (next != gaps_.end() && offset + bytes == next->first) {
      bytes += next->second;
      gaps_.erase(next);
    }
    gaps_.emplace(offset, bytes);
  }

  std::int64_t end() const { return end_; }

 private:
  std::map<std::int64_t, std::int64_t> gaps_;
  std::int64_t end_ = 0;
};

std::int64_t padded(std::int64_t bytes) {
  return (std::max<std::int64_t>(bytes, 1) + arena_alignment - 1) / arena_alignment *
         arena_alignment;
}

}  // namespace

std::int64_t plan_memory(std::span<PlannedBuffer> buffers) {
  std::vector<std::size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (buffers[a].first_step != buffers[b].first_step)
      return buffers[a].first_step < buffers[b].first_step;
    if (buffers[a].bytes != buffers[b].bytes) return buffers[a].bytes > buffers[b].bytes;
    return a < b;
  });
  using Ending = std::pair<std::int32_t, std::size_t>;
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> alive;
  Gaps gaps;
  for (const std::size_t index : order) {
    PlannedBuffer& buffer = buffers[index];
    while (!alive.empty() && alive.top().first < buffer.first_step) {
      const PlannedBuffer& ended = buffers[alive.top().second];
      gaps.give_back(ended.offset, padded(ended.bytes));
      alive.pop();
    }
    buffer.offset = gaps.take(padded(buffer.bytes));
    alive.emplace(buffer.last_step, index);
  }
  return gaps.end();
}

}  // namespace ortool
