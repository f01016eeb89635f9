// What sharing a step among threads was worth when it was last done: some are so small that moving
// their data between processors takes longer than doing them alone.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

namespace ortool {

/// Times of steps that come again and again, alone and shared, by a key that their giver chooses.
/// Holds a fixed number of them; a new one takes an older one's place. One thread at a time.
class SharingMemory {
 public:
  using Duration = std::chrono::nanoseconds;

  enum class Way : std::uint8_t {
    shared,
    alone,
    settled_alone,  ///< its time is known well enough: record() need not be called
  };

  /// How the step should be done now. One not seen before is shared; one that did not take long is
  /// tried both ways, then done in the way that took less time, and tried the other way at times.
  Way choose(std::uint64_t key);
  /// What the step took from begin to end, done as `choose` said last. Need not be called.
  void record(std::uint64_t key, bool was_shared, Duration time);

 private:
  struct Entry {
    std::uint64_t key = 0;
    std::int64_t alone_ns = 0;   ///< 0: not known
    std::int64_t shared_ns = 0;  ///< 0: not known
    std::uint32_t uses = 0;
  };

  static constexpr std::size_t size = 512;

  Entry& place_of(std::uint64_t key) { return entries_[(key ^ (key >> 32U)) % size]; }

  std::array<Entry, size> entries_ = {};
};

}  // namespace ortool
