// Pseudorandom numbers that depend only on the seed, on all platforms.
#pragma once

#include <cstdint>

namespace ortool {

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
class RandomBits {
 public:
  explicit RandomBits(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  /// Integers in [0, count); `count` must be far below 2^32.
  std::uint64_t below(std::uint64_t count) { return ((next() >> 32U) * count) >> 32U; }
  /// In [0, 1).
  double fraction() { return static_cast<double>(next() >> 11U) * 0x1p-53; }
  /// In (0, 1].
  double unit() { return static_cast<double>((next() >> 11U) + 1) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace ortool
