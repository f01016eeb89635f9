// Roofline measurement: each thread works on its own block, with a barrier before every round.
#include "providers/cpu/support/roofline.hpp"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "kernels/cpu/isa/roofline_probe.hpp"
#include "libcore/base/function_ref.hpp"

namespace ortool::cpu {
namespace {

using SpeedClock = std::chrono::steady_clock;

constexpr std::size_t speed_rounds = 8;
/// Total size of three blocks of floats that counts as cached.
constexpr std::int64_t cached_bytes = std::int64_t{768} << 10U;
constexpr std::int64_t memory_bytes_a_thread = std::int64_t{96} << 20U;

/// When a thread started and finished a round.
struct RoundTimes {
  SpeedClock::time_point begin;
  SpeedClock::time_point end;
};

/// The shortest time in seconds of several rounds in which every thread calls `work(thread)`: from
/// the first start to the last finish.
double best_round_s(int threads, const StopToken& stop, FunctionRef<void(int)> work) {
  std::vector<std::vector<RoundTimes>> turns(static_cast<std::size_t>(threads),
                                             std::vector<RoundTimes>(speed_rounds));
  std::barrier gate(threads);
  const auto take_turns = [&](int thread) {
    for (RoundTimes& turn : turns[static_cast<std::size_t>(thread)]) {
      gate.arrive_and_wait();
      turn.begin = SpeedClock::now();
      if (!stop.is_requested()) work(thread);
      turn.end = SpeedClock::now();
    }
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < threads; ++thread) others.emplace_back(take_turns, thread);
  take_turns(0);
  for (std::thread& other : others) other.join();
  stop.poll();
  double best = 1e9;
  // Skips the first round, which touches the memory for the first time.
  for (std::size_t round = 1; round < speed_rounds; ++round) {
    RoundTimes all = turns.front()[round];
    for (const auto& of_thread : turns) {
      all.begin = std::min(all.begin, of_thread[round].begin);
      all.end = std::max(all.end, of_thread[round].end);
    }
    best = std::min(best, std::chrono::duration<double>(all.end - all.begin).count());
  }
  return best;
}

double measure_gflops(int threads, const StopToken& stop) {
  constexpr std::int64_t count = 400'000;
  std::atomic<float> sink{0};
  const double seconds = best_round_s(
      threads, stop, [&](int) { sink = roofline_loops(best_isa()).multiply_add(count); });
  return static_cast<double>(count) * roofline_loops(best_isa()).flops_per_round * threads /
         seconds * 1e-9;
}

/// Bandwidth over blocks of `bytes` in total per thread, repeated to make a round long enough.
double measure_gbytes(int threads, std::int64_t bytes, std::int64_t times, const StopToken& stop) {
  const std::int64_t count = bytes / 3 / static_cast<std::int64_t>(sizeof(float)) / 64 * 64;
  std::vector<std::vector<float>> blocks(static_cast<std::size_t>(threads));
  for (auto& block : blocks) block.assign(static_cast<std::size_t>(3 * count), 1.0F);
  const double seconds = best_round_s(threads, stop, [&](int thread) {
    float* block = blocks[static_cast<std::size_t>(thread)].data();
    for (std::int64_t i = 0; i < times; ++i) {
      roofline_loops(best_isa()).add_blocks(block, block + count, count, block + 2 * count);
    }
  });
  return static_cast<double>(3 * count * times * static_cast<std::int64_t>(sizeof(float))) *
         threads / seconds * 1e-9;
}

}  // namespace

MachineLimits measure_limits(int threads, const StopToken& stop) {
  MachineLimits limits;
  limits.gflops = measure_gflops(threads, stop);
  limits.cache_gbytes_per_s = measure_gbytes(threads, cached_bytes, 200, stop);
  limits.memory_gbytes_per_s = measure_gbytes(threads, memory_bytes_a_thread, 1, stop);
  limits.cache_bytes = cached_bytes * threads;
  return limits;
}

}  // namespace ortool::cpu
