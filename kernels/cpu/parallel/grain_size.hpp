// Grain size of parallel loops: how many tasks and threads a piece of work is worth.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ortool::cpu {

/// Number of tasks for a piece of work: none shorter than about a microsecond, where a second awake
/// thread begins to pay off; a power of two, so that as many threads get equal shares.
inline std::int64_t task_count(double nanoseconds) {
  constexpr double min_ns = 1500;
  constexpr double task_ns = 6000;
  constexpr double long_task_ns = 40000;
  constexpr std::int64_t few_tasks = 16;
  constexpr std::int64_t max_tasks = 128;
  if (nanoseconds < min_ns) return 1;
  std::int64_t tasks = nanoseconds < 2 * task_ns ? 2 : 4;
  while (tasks < few_tasks && nanoseconds > 2 * task_ns * static_cast<double>(tasks)) tasks *= 2;
  while (tasks < max_tasks && nanoseconds > 2 * long_task_ns * static_cast<double>(tasks))
    tasks *= 2;
  return tasks;
}

/// Items per task, for `items` equal items that take `nanoseconds` in total: a multiple of `unit`.
inline std::int64_t grain_size(std::int64_t items, double nanoseconds, std::int64_t unit = 1) {
  const std::int64_t tasks = task_count(nanoseconds);
  return std::max<std::int64_t>((items + tasks * unit - 1) / (tasks * unit), 1) * unit;
}

/// The same for `count` contiguous elements, each of which takes little time.
inline std::int64_t elementwise_grain_size(std::int64_t count) {
  constexpr double nanoseconds_a_number = 0.1;
  constexpr std::int64_t line = 64;
  constexpr std::int64_t most = 32768;
  return std::min(grain_size(count, nanoseconds_a_number * static_cast<double>(count), line), most);
}

}  // namespace ortool::cpu
