// Measured times of recurring steps with one and several threads. Some steps are so short that
// moving their data between processors takes longer than running them on one.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

namespace ortool {

/// Stores times of recurring steps, alone and shared, identified by the caller's key. Holds a fixed
/// number of them; new ones evict older ones. Not thread-safe.
class StepTimings {
 public:
  using Duration = std::chrono::nanoseconds;

  enum class Mode : std::uint8_t {
    shared,
    alone,
    known_alone,  ///< its time is known well enough; record() may be omitted
  };

  /// The mode for the next execution of the step. A new step is shared; a short one is tried both
  /// ways, then run in the faster mode, with occasional trials of the other.
  Mode choose(std::uint64_t key);
  /// Records the time of a step in the mode last chosen. Optional.
  void record(std::uint64_t key, bool was_shared, Duration time);

 private:
  struct Entry {
    std::uint64_t key = 0;
    std::int64_t alone_ns = 0;   ///< 0: unknown
    std::int64_t shared_ns = 0;  ///< 0: unknown
    std::uint32_t uses = 0;
  };

  static constexpr std::size_t size = 512;

  Entry& place_of(std::uint64_t key) { return entries_[(key ^ (key >> 32U)) % size]; }

  std::array<Entry, size> entries_ = {};
};

}  // namespace ortool
