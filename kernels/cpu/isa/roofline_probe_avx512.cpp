// Roofline probe for AVX-512: peak arithmetic throughput and memory bandwidth.
#include <immintrin.h>

#include "kernels/cpu/isa/roofline_probe.hpp"

namespace ortool::cpu::avx512 {
namespace {

/// Enough independent accumulators to hide the latency of two FMA units.
constexpr int chains = 12;

float multiply_add(int64_t rounds) {
  __m512 sums[chains];
  for (int i = 0; i < chains; ++i) sums[i] = _mm512_set1_ps(static_cast<float>(i));
  const __m512 factor = _mm512_set1_ps(0.999f);
  const __m512 term = _mm512_set1_ps(0.5f);
  for (int64_t round = 0; round < rounds; ++round) {
    for (int i = 0; i < chains; ++i) sums[i] = _mm512_fmadd_ps(sums[i], factor, term);
  }
  for (int i = 1; i < chains; ++i) sums[0] = _mm512_add_ps(sums[0], sums[i]);
  float lanes[16];
  _mm512_storeu_ps(lanes, sums[0]);
  return lanes[0];
}

void add_blocks(const float* a, const float* b, int64_t count, float* out) {
  for (int64_t i = 0; i < count; i += 2 * 16) {
    const __m512 low = _mm512_add_ps(_mm512_loadu_ps(a + i), _mm512_loadu_ps(b + i));
    const __m512 high = _mm512_add_ps(_mm512_loadu_ps(a + i + 16), _mm512_loadu_ps(b + i + 16));
    _mm512_storeu_ps(out + i, low);
    _mm512_storeu_ps(out + i + 16, high);
  }
}

}  // namespace

const RooflineLoops roofline_loops = {&multiply_add, 2.0 * chains * 16, &add_blocks};

}  // namespace ortool::cpu::avx512
