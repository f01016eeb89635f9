// Helpers of kernel tests: random numbers, available instruction sets, errors in ulps.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "kernels/cpu/isa/levels.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::test {

/// Every instruction-set level that this processor has, but amx.
inline std::vector<cpu::Isa> available_isas() {
  std::vector<cpu::Isa> isas;
  for (const cpu::Isa isa : cpu::supported_isas()) {
    if (isa != cpu::Isa::amx) isas.push_back(isa);
  }
  return isas;
}

/// An instruction set and 1, 2 or 8 threads to run with it.
struct IsaAndThreads {
  cpu::Isa isa;
  std::shared_ptr<ThreadPool> pool;
  std::shared_ptr<Workers> workers;
};

inline std::vector<IsaAndThreads> isas_and_threads() {
  std::vector<IsaAndThreads> list;
  for (const cpu::Isa isa : available_isas()) {
    for (const int threads : {1, 2, 8}) {
      auto pool = std::make_shared<ThreadPool>(threads);
      auto workers = std::make_shared<Workers>(*pool, threads);
      list.push_back({isa, pool, workers});
    }
  }
  return list;
}

inline std::vector<float> random_floats(std::int64_t count, std::uint32_t seed, float low = -4.0F,
                                        float high = 4.0F) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> distribution(low, high);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = distribution(engine);
  return values;
}

template <typename Integer>
std::vector<Integer> random_integers(std::int64_t count, std::uint32_t seed, std::int64_t low,
                                     std::int64_t high) {
  std::mt19937 engine(seed);
  std::uniform_int_distribution<std::int64_t> distribution(low, high);
  std::vector<Integer> values(static_cast<std::size_t>(count));
  for (Integer& value : values) value = static_cast<Integer>(distribution(engine));
  return values;
}

inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::bit_cast<std::uint32_t>(a[i]) != std::bit_cast<std::uint32_t>(b[i])) return false;
  }
  return true;
}

/// The error of `found` in units in the last place of the exact result; infinite if one is NaN or
/// infinite and the other differs.
inline double ulp_error(float found, double exact) {
  const float rounded = static_cast<float>(exact);
  if (std::isnan(exact) || std::isnan(found)) {
    return std::isnan(exact) && std::isnan(found) ? 0.0 : std::numeric_limits<double>::infinity();
  }
  if (std::isinf(rounded) || std::isinf(found)) {
    if (found == rounded) return 0.0;
    // One step below infinity counts as one unit.
    const float largest = std::numeric_limits<float>::max();
    return std::abs(found) >= largest && std::abs(exact) >= static_cast<double>(largest)
               ? 1.0
               : std::numeric_limits<double>::infinity();
  }
  int exponent = 0;
  std::frexp(exact, &exponent);
  const double unit = std::ldexp(1.0, std::max(exponent - 24, -149));
  return std::abs(static_cast<double>(found) - exact) / unit;
}

}  // namespace ortool::test
