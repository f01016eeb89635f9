// Arena allocation: a sweep over the steps with a free list; where that leaves gaps, large buffers
// first.
#include "libcore/runtime/plan/plan_memory.hpp"

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

/// Allocates step by step. Returns the arena's size in bytes.
std::int64_t sweep_steps(std::span<PlannedBuffer> buffers) {
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

/// The most bytes that are live at one step: no arena is smaller.
std::int64_t most_live_bytes(std::span<const PlannedBuffer> buffers) {
  std::map<std::int32_t, std::int64_t> changes;
  for (const PlannedBuffer& buffer : buffers) {
    changes[buffer.first_step] += padded(buffer.bytes);
    changes[buffer.last_step + 1] -= padded(buffer.bytes);
  }
  std::int64_t live = 0;
  std::int64_t most = 0;
  for (const auto& [step, change] : changes) {
    live += change;
    most = std::max(most, live);
  }
  return most;
}

/// Gives each buffer, the largest first, the lowest place that is free while it is live.
std::int64_t place_largest_first(std::span<PlannedBuffer> buffers) {
  std::vector<std::size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return buffers[a].bytes > buffers[b].bytes;
  });
  std::vector<std::size_t> placed;  // by offset
  std::int64_t end = 0;
  for (const std::size_t index : order) {
    PlannedBuffer& buffer = buffers[index];
    std::int64_t offset = 0;
    for (const std::size_t other : placed) {
      const PlannedBuffer& neighbor = buffers[other];
      const bool are_live_together =
          neighbor.first_step <= buffer.last_step && buffer.first_step <= neighbor.last_step;
      if (!are_live_together || neighbor.offset + padded(neighbor.bytes) <= offset) continue;
      if (neighbor.offset >= offset + padded(buffer.bytes)) break;
      offset = neighbor.offset + padded(neighbor.bytes);
    }
    buffer.offset = offset;
    end = std::max(end, offset + padded(buffer.bytes));
    placed.insert(std::upper_bound(placed.begin(), placed.end(), offset,
                                   [&](std::int64_t at, std::size_t other) {
                                     return at < buffers[other].offset;
                                   }),
                  index);
  }
  return end;
}

}  // namespace

std::int64_t plan_memory(std::span<PlannedBuffer> buffers) {
  constexpr std::size_t most_compared = 1024;  // in quadratic time
  constexpr std::int64_t worthwhile = 32;      // part of the arena
  constexpr std::int64_t large_arena = std::int64_t{1} << 20;
  const std::int64_t bytes = sweep_steps(buffers);
  if (bytes < large_arena || buffers.size() > most_compared ||
      most_live_bytes(buffers) > bytes - bytes / worthwhile)
    return bytes;
  std::vector<PlannedBuffer> others(buffers.begin(), buffers.end());
  const std::int64_t other_bytes = place_largest_first(others);
  if (other_bytes > bytes - bytes / worthwhile) return bytes;
  std::copy(others.begin(), others.end(), buffers.begin());
  return other_bytes;
}

}  // namespace ortool
