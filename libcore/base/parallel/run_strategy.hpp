// Whether whole runs that come again and again are faster alone, shared, or shared step by step.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

namespace ortool {

/// What sharing one step does to the steps behind it shows in the time of the whole run only: data
/// that another processor wrote has to come from there. So runs are tried in each way, a few in a
/// row, and go on in the one that took least; now and then another is tried again. Holds a fixed
/// number of kinds of run, by a key that their giver chooses; a new one takes an older one's place.
/// One thread at a time.
class RunMemory {
 public:
  using Duration = std::chrono::nanoseconds;

  enum class Way : std::uint8_t {
    shared,   ///< every job that can be
    alone,    ///< none
    by_step,  ///< those of steps that are worth it by themselves
  };

  /// How the run should be done.
  Way choose(std::uint64_t key);
  /// What the run took, done as `choose` said last. Left out for a run that did not end.
  void record(std::uint64_t key, Duration time);

 private:
  static constexpr int ways = 3;
  static constexpr int samples = 15;  ///< of each way, the last ones of its last trial

  struct Entry {
    std::uint64_t key = 0;
    Way settled = Way::by_step;  ///< the best so far
    Way way = Way::shared;       ///< of the run under way
    Way rival = Way::shared;     ///< tried last
    bool is_trial = true;
    std::uint32_t trial_runs = 0;  ///< of the last trial
    std::uint32_t left = 0;        ///< runs until something else is tried
    std::uint32_t rounds = 0;      ///< trials since each way was tried first
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
