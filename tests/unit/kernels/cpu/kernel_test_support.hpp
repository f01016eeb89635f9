// Helpers of kernel tests: seeded random numbers, available ISA levels, aligned memory.
#pragma once

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "kernels/cpu/isa/levels.hpp"
#include "libcore/base/memory/aligned_buffer.hpp"

namespace ortool::cpu::test {

inline std::vector<Isa> isas_here() {
  return supported_isas();
}

class RandomValues {
 public:
  explicit RandomValues(std::uint32_t seed) : engine_(seed) {}

  std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }

  bool flip() { return between(0, 1) == 1; }

  std::vector<float> floats(std::int64_t count, float low = -1.0F, float high = 1.0F) {
    std::uniform_real_distribution<float> values(low, high);
    std::vector<float> out(static_cast<std::size_t>(count));
    for (float& value : out) value = values(engine_);
    return out;
  }

 private:
  std::mt19937 engine_;
};

inline AlignedBuffer bytes(std::int64_t count) {
  return AlignedBuffer(count + 64, nullptr, "a test");
}

/// The rounding error allowed in a sum of `terms` products whose magnitudes sum to `magnitude`.
inline double allowed_error(std::int64_t terms, double magnitude) {
  constexpr double epsilon = std::numeric_limits<float>::epsilon();
  return 2.0 * static_cast<double>(terms + 4) * epsilon * magnitude + 1e-30;
}

}  // namespace ortool::cpu::test
