// GEMV with a transposed matrix for NEON: 4 columns per vector, transposed in registers.
#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/gemm/f32/pack.hpp"

namespace ortool::cpu::neon {
namespace {

constexpr int64_t columns_at_once = 4;
constexpr int64_t steps_at_once = 4;

/// sum + four steps of four columns, of which in[i] holds column i.
inline __attribute__((always_inline)) float32x4_t add_steps(float32x4_t x, const float32x4_t* in,
                                                            float32x4_t sum) {
  const float32x4_t t0 = vtrn1q_f32(in[0], in[1]);
  const float32x4_t t1 = vtrn2q_f32(in[0], in[1]);
  const float32x4_t t2 = vtrn1q_f32(in[2], in[3]);
  const float32x4_t t3 = vtrn2q_f32(in[2], in[3]);
  sum = vfmaq_laneq_f32(sum, vcombine_f32(vget_low_f32(t0), vget_low_f32(t2)), x, 0);
  sum = vfmaq_laneq_f32(sum, vcombine_f32(vget_low_f32(t1), vget_low_f32(t3)), x, 1);
  sum = vfmaq_laneq_f32(sum, vcombine_f32(vget_high_f32(t0), vget_high_f32(t2)), x, 2);
  return vfmaq_laneq_f32(sum, vcombine_f32(vget_high_f32(t1), vget_high_f32(t3)), x, 3);
}

/// Up to `groups` times four columns; missing ones read the last column and are not stored.
template <int groups>
void run_groups(const float* x, const float* b, int64_t b_stride, int64_t columns, int64_t k,
                float* out) {
  constexpr size_t count = size_t{4} * groups;
  const float* from[count];
  float32x4_t sums[size_t{groups}];
  for (size_t i = 0; i < count; ++i) {
    const auto column = static_cast<int64_t>(i);
    from[i] = b + (column < columns ? column : columns - 1) * b_stride;
  }
#pragma GCC unroll 4
  for (int group = 0; group < groups; ++group) sums[group] = vdupq_n_f32(0.0F);
  int64_t step = 0;
  for (; step + steps_at_once <= k; step += steps_at_once) {
    const float32x4_t factors = vld1q_f32(x + step);
#pragma GCC unroll 4
    for (int group = 0; group < groups; ++group) {
      const float* const* four = from + 4 * group;
      const float32x4_t in[4] = {vld1q_f32(four[0] + step), vld1q_f32(four[1] + step),
                                 vld1q_f32(four[2] + step), vld1q_f32(four[3] + step)};
      sums[group] = add_steps(factors, in, sums[group]);
    }
  }
  for (int group = 0; group < groups; ++group) {
    float result[4];
    vst1q_f32(result, sums[group]);
    for (int i = 0; i < 4 && 4 * group + i < columns; ++i) {
      float sum = result[i];
      for (int64_t last = step; last < k; ++last)
        sum = __builtin_fmaf(x[last], from[4 * group + i][last], sum);
      out[4 * group + i] = sum;
    }
  }
}

}  // namespace

void row_transposed(const float* x, const float* b, int64_t b_stride, int64_t columns, int64_t k,
                    float* out) {
  int64_t column = 0;
  for (; column + 4 * columns_at_once <= columns; column += 4 * columns_at_once) {
    run_groups<4>(x, b + column * b_stride, b_stride, 4 * columns_at_once, k, out + column);
  }
  for (; column < columns; column += columns_at_once) {
    const int64_t left = columns - column;
    run_groups<1>(x, b + column * b_stride, b_stride,
                  left < columns_at_once ? left : columns_at_once, k, out + column);
  }
}

}  // namespace ortool::cpu::neon
