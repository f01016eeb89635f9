// Roofline probe for NEON: peak arithmetic throughput and memory bandwidth.
#include <arm_neon.h>

#include "kernels/cpu/isa/roofline_probe.hpp"

namespace ortool::cpu::neon {
namespace {

/// Enough independent accumulators to hide the latency of four FMA units.
constexpr int chains = 24;

float multiply_add(int64_t rounds) {
  float32x4_t sums[chains];
#pragma GCC unroll 24
  for (int i = 0; i < chains; ++i) sums[i] = vdupq_n_f32(static_cast<float>(i));
  const float32x4_t factor = vdupq_n_f32(0.999F);
  const float32x4_t half = vdupq_n_f32(0.5F);
  for (int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 24
    for (int i = 0; i < chains; ++i) sums[i] = vfmaq_f32(sums[i], half, factor);
  }
#pragma GCC unroll 24
  for (int i = 1; i < chains; ++i) sums[0] = vaddq_f32(sums[0], sums[i]);
  return vgetq_lane_f32(sums[0], 0);
}

void add_blocks(const float* a, const float* b, int64_t count, float* out) {
  for (int64_t i = 0; i < count; i += 4)
    vst1q_f32(out + i, vaddq_f32(vld1q_f32(a + i), vld1q_f32(b + i)));
}

}  // namespace

const RooflineLoops roofline_loops = {&multiply_add, 2.0 * chains * 4, &add_blocks};

}  // namespace ortool::cpu::neon
