// Roofline probe for AVX2: peak arithmetic throughput and memory bandwidth.
#include <immintrin.h>

#include "kernels/cpu/isa/roofline_probe.hpp"

namespace ortool::cpu::avx2 {
namespace {

/// Enough independent accumulators to hide the latency of two FMA units.
constexpr int chains = 12;

float multiply_add(int64_t rounds) {
  __m256 sums[chains];
  for (int i = 0; i < chains; ++i) sums[i] = _mm256_set1_ps(static_cast<float>(i));
  const __m256 factor = _mm256_set1_ps(0.999f);
  const __m256 term = _mm256_set1_ps(0.5f);
  for (int64_t round = 0; round < rounds; ++round) {
    for (int i = 0; i < chains; ++i) sums[i] = _mm256_fmadd_ps(sums[i], factor, term);
  }
  for (int i = 1; i < chains; ++i) sums[0] = _mm256_add_ps(sums[0], sums[i]);
  float lanes[8];
  _mm256_storeu_ps(lanes, sums[0]);
  return lanes[0];
}

void add_blocks(const float* a, const float* b, int64_t count, float* out) {
  for (int64_t i = 0; i < count; i += 2 * 8) {
    const __m256 low = _mm256_add_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i));
    const __m256 high = _mm256_add_ps(_mm256_loadu_ps(a + i + 8), _mm256_loadu_ps(b + i + 8));
    _mm256_storeu_ps(out + i, low);
    _mm256_storeu_ps(out + i + 8, high);
  }
}

}  // namespace

const RooflineLoops roofline_loops = {&multiply_add, 2.0 * chains * 8, &add_blocks};

}  // namespace ortool::cpu::avx2
