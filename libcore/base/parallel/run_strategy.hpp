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
class RunStrategies {
 public:
  using Duration = std::chrono::nanoseconds;

  enum class Strategy : std::uint8_t {
    shared,   ///< shares every job that can be shared
    alone,    ///< shares none
    by_step,  ///< shares the jobs of steps for which it pays off
  };

  /// The strategy for the next run.
  Strategy choose(std::uint64_t key);
  /// Records the time of a run with the strategy last chosen. Not to be called for aborted runs.
  void record(std::uint64_t key, Duration time);

 private:
  static constexpr int strategies = 3;
  static constexpr int samples = 15;  ///< for each strategy, from its last trial

  struct Entry {
    std::uint64_t key = 0;
    Strategy best = Strategy::by_step;     ///< the best one so far
    Strategy strategy = Strategy::shared;  ///< of the current run
    Strategy rival = Strategy::shared;     ///< the last one tried
    bool is_trial = true;
    std::uint32_t trial_runs = 0;  ///< length of the current trial
    std::uint32_t left = 0;        ///< runs left until the next change
    std::uint32_t rounds = 0;      ///< trials since each strategy was tried first
    std::uint32_t recorded[strategies] = {};
    std::int64_t times_ns[strategies][samples] = {};

    std::int64_t usual_ns(Strategy of) const;
    void begin_trial(Strategy of);
    void end_trial();
  };

  static constexpr std::size_t size = 64;

  Entry& place_of(std::uint64_t key) { return entries_[(key ^ (key >> 32U)) % size]; }

  std::array<Entry, size> entries_ = {};
};

}  // namespace ortool
