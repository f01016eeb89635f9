// Chooses between single-threaded, multithreaded and per-step execution of recurring runs.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

namespace ortool {

/// The effect of sharing one step on the following steps (their data is in another processor's
/// cache) shows only in the time of the whole run. Therefore each strategy is tried for a few
/// consecutive runs, and the fastest is used; now and then another one is tried again. Stores a
/// fixed number of kinds of run, identified by the caller's key; new ones evict older ones. Not
/// thread-safe.
class RunMemory {
 public:
  using Duration = std::chrono::nanoseconds;

  enum class Way : std::uint8_t {
    shared,   ///< shares every job that can be shared
    alone,    ///< shares none
    by_step,  ///< shares the jobs of steps for which it pays off
  };

  /// The strategy for the next run.
  Way choose(std::uint64_t key);
  /// Records the time of a run with the strategy last chosen. Not to be called for aborted runs.
  void record(std::uint64_t key, Duration time);

 private:
  static constexpr int ways = 3;
  static constexpr int samples = 15;  ///< for each strategy, from its last trial

  struct Entry {
    std::uint64_t key = 0;
    Way settled = Way::by_step;  ///< the best one so far
    Way way = Way::shared;       ///< of the current run
    Way rival = Way::shared;     ///< the last one tried
    bool is_trial = true;
    std::uint32_t trial_runs = 0;  ///< length of the current trial
    std::uint32_t left = 0;        ///< runs left until the next change
    std::uint32_t rounds = 0;      ///< trials since each strategy was tried first
    std::uint32_t recorded[ways] = {};
    std::int64_t times_ns[ways][samples] = {};

    std::int64_t usual_ns(Way of) const;
    void begin_trial(Way of);
    void end_trial();
  };

  static constexpr std::size_t size = 64;

  Entry& place_of(std::uint64_t key) { return entries_[(key ^ (key >> 32U)) % size]; }

  std::array<Entry, size> entries_ = {};
};

}  // namespace ortool
