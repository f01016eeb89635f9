// Philox 4x32-10 random number generator (Salmon et al., SC 2011). It is counter-based: each block
// depends on its index only, so results do not depend on the number of threads.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace ortool::cpu {

/// Four random words from a counter and a key.
inline std::array<std::uint32_t, 4> philox(std::uint64_t counter, std::uint64_t key) {
  std::array<std::uint32_t, 4> words = {static_cast<std::uint32_t>(counter),
                                        static_cast<std::uint32_t>(counter >> 32), 0, 0};
  auto low = static_cast<std::uint32_t>(key);
  auto high = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xd2511f53U} * words[0];
    const std::uint64_t second = std::uint64_t{0xcd9e8d57U} * words[2];
    words = {static_cast<std::uint32_t>(second >> 32) ^ words[1] ^ low,
             static_cast<std::uint32_t>(second),
             static_cast<std::uint32_t>(first >> 32) ^ words[3] ^ high,
             static_cast<std::uint32_t>(first)};
    low += 0x9e3779b9U;
    high += 0xbb67ae85U;
  }
  return words;
}

/// Two numbers in [0, 1) with 53 random bits each.
struct UniformPair {
  double first;
  double second;
};

inline UniformPair uniform_pair(std::uint64_t counter, std::uint64_t key) {
  const std::array<std::uint32_t, 4> words = philox(counter, key);
  const auto number = [](std::uint32_t high, std::uint32_t low) {
    return static_cast<double>((std::uint64_t{high} << 32 | low) >> 11) * 0x1p-53;
  };
  return {number(words[1], words[0]), number(words[3], words[2])};
}

/// Two standard normal numbers, by the Box-Muller transform.
inline UniformPair normal_pair(std::uint64_t counter, std::uint64_t key) {
  constexpr double turn = 6.283185307179586;
  const UniformPair uniform = uniform_pair(counter, key);
  const double radius = std::sqrt(-2.0 * std::log1p(-uniform.first));
  return {radius * std::cos(turn * uniform.second), radius * std::sin(turn * uniform.second)};
}

}  // namespace ortool::cpu
