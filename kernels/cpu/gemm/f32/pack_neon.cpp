// GEMM packing and skinny products for NEON.
#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/gemm/f32/pack.hpp"
#include "kernels/cpu/isa/add_lane_neon.inc"

namespace ortool::cpu::neon {
namespace {

constexpr int64_t four = 4;

inline void transpose(float32x4_t (&r)[4]) {
  const float32x4_t t0 = vtrn1q_f32(r[0], r[1]);
  const float32x4_t t1 = vtrn2q_f32(r[0], r[1]);
  const float32x4_t t2 = vtrn1q_f32(r[2], r[3]);
  const float32x4_t t3 = vtrn2q_f32(r[2], r[3]);
  r[0] = vcombine_f32(vget_low_f32(t0), vget_low_f32(t2));
  r[1] = vcombine_f32(vget_low_f32(t1), vget_low_f32(t3));
  r[2] = vcombine_f32(vget_high_f32(t0), vget_high_f32(t2));
  r[3] = vcombine_f32(vget_high_f32(t1), vget_high_f32(t3));
}

/// `vectors` vectors of columns, the second half of which starts `half_step` after the first.
template <int rows, int vectors>
inline __attribute__((always_inline)) void skinny_vectors(const float* a, int64_t a_row_stride,
                                                          int64_t a_step, const float* b,
                                                          int64_t b_stride, int64_t half_step,
                                                          int64_t k, float* out,
                                                          int64_t out_stride) {
  constexpr int half = vectors / 2;
  float32x4_t sums[size_t{rows}][size_t{vectors}];
#pragma GCC unroll 4
  for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) sums[row][v] = vdupq_n_f32(0.0F);
  }
  const auto load = [&](int v) { return vld1q_f32(b + (v / half) * half_step + v % half * four); };
  int64_t step = 0;
  // Four factors of each row at once.
  for (; a_step == 1 && step + four <= k; step += four) {
    float32x4_t factors[size_t{rows}];
#pragma GCC unroll 4
    for (int row = 0; row < rows; ++row) factors[row] = vld1q_f32(a + row * a_row_stride);
#pragma GCC unroll 4
    for (int lane = 0; lane < four; ++lane) {
      float32x4_t values[size_t{vectors}];
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) values[v] = load(v);
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) {
#pragma GCC unroll 4
        for (int row = 0; row < rows; ++row)
          sums[row][v] = add_lane(sums[row][v], values[v], factors[row], lane);
      }
      b += b_stride;
    }
    a += four;
  }
  for (; step < k; ++step) {
    float32x4_t values[size_t{vectors}];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) values[v] = load(v);
#pragma GCC unroll 4
    for (int row = 0; row < rows; ++row) {
      const float factor = a[row * a_row_stride];
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) sums[row][v] = vfmaq_n_f32(sums[row][v], values[v], factor);
    }
    a += a_step;
    b += b_stride;
  }
#pragma GCC unroll 4
  for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) vst1q_f32(out + row * out_stride + v * four, sums[row][v]);
  }
}

template <int rows>
void skinny_rows(const float* a, int64_t a_row_stride, int64_t a_step, const float* b,
                 int64_t b_stride, int64_t columns, int64_t k, float* out, int64_t out_stride) {
  constexpr int vectors = 4;
  int64_t column = 0;
  for (; column + vectors * four <= columns; column += vectors * four) {
    skinny_vectors<rows, vectors>(a, a_row_stride, a_step, b + column, b_stride, 2 * four, k,
                                  out + column, out_stride);
  }
  for (; column < columns; ++column) {
    for (int row = 0; row < rows; ++row) {
      float sum = 0.0F;
      for (int64_t step = 0; step < k; ++step) {
        sum =
            __builtin_fmaf(a[row * a_row_stride + step * a_step], b[step * b_stride + column], sum);
      }
      out[row * out_stride + column] = sum;
    }
  }
}

template <int rows>
void skinny_panels(const float* a, int64_t a_row_stride, int64_t a_step, const float* b, int64_t k,
                   float* out, int64_t out_stride) {
  constexpr int64_t width = 8;
  skinny_vectors<rows, 4>(a, a_row_stride, a_step, b, width, width * k, k, out, out_stride);
}

}  // namespace

void pack_transposed(const float* in, int64_t in_stride, int32_t rows, int32_t width, int64_t k,
                     float* out, int64_t out_stride) {
  int32_t row = 0;
  for (; row + four <= rows; row += static_cast<int32_t>(four)) {
    const float* from = in + row * in_stride;
    float* to = out + row;
    int64_t step = 0;
    for (; step + four <= k; step += four) {
      float32x4_t r[four];
#pragma GCC unroll 4
      for (int64_t i = 0; i < four; ++i) r[i] = vld1q_f32(from + i * in_stride + step);
      transpose(r);
#pragma GCC unroll 4
      for (int64_t i = 0; i < four; ++i) vst1q_f32(to + (step + i) * out_stride, r[i]);
    }
    for (; step < k; ++step) {
      for (int64_t i = 0; i < four; ++i) to[step * out_stride + i] = from[i * in_stride + step];
    }
  }
  for (; row < width; ++row) {
    for (int64_t step = 0; step < k; ++step)
      out[step * out_stride + row] = row < rows ? in[row * in_stride + step] : 0.0F;
  }
}

void pack_rows(const float* in, int64_t in_stride, int32_t columns, int32_t width, int64_t k,
               float* out) {
  if (columns == 2 * four && width == 2 * four) {
    for (int64_t step = 0; step < k; ++step) {
      vst1q_f32(out + step * width, vld1q_f32(in + step * in_stride));
      vst1q_f32(out + step * width + four, vld1q_f32(in + step * in_stride + four));
    }
    return;
  }
  for (int64_t step = 0; step < k; ++step) {
    for (int32_t column = 0; column < width; ++column)
      out[step * width + column] = column < columns ? in[step * in_stride + column] : 0.0F;
  }
}

void dot_rows(const float* a, int64_t a_stride, int64_t rows, int64_t k, const float* x,
              float* out) {
  for (int64_t row = 0; row < rows; ++row) {
    const float* from = a + row * a_stride;
    float32x4_t sums[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) sums[i] = vdupq_n_f32(0.0F);
    int64_t step = 0;
    for (; step + 4 * four <= k; step += 4 * four) {
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        sums[i] =
            vfmaq_f32(sums[i], vld1q_f32(from + step + i * four), vld1q_f32(x + step + i * four));
      }
    }
    for (; step + four <= k; step += four)
      sums[0] = vfmaq_f32(sums[0], vld1q_f32(from + step), vld1q_f32(x + step));
    float rest = 0.0F;
    for (; step < k; ++step) rest = __builtin_fmaf(from[step], x[step], rest);
    const float32x4_t sum = vaddq_f32(vaddq_f32(sums[0], sums[1]), vaddq_f32(sums[2], sums[3]));
    out[row] = vaddvq_f32(sum) + rest;
  }
}

void skinny_product(const float* a, int64_t a_row_stride, int64_t a_step, int32_t rows,
                    const float* b, int64_t b_stride, int64_t columns, int64_t k, float* out,
                    int64_t out_stride) {
  switch (rows) {
    case 1:
      return skinny_rows<1>(a, a_row_stride, a_step, b, b_stride, columns, k, out, out_stride);
    case 2:
      return skinny_rows<2>(a, a_row_stride, a_step, b, b_stride, columns, k, out, out_stride);
    case 3:
      return skinny_rows<3>(a, a_row_stride, a_step, b, b_stride, columns, k, out, out_stride);
    default:
      return skinny_rows<4>(a, a_row_stride, a_step, b, b_stride, columns, k, out, out_stride);
  }
}

void skinny_pair(const float* a, int64_t a_row_stride, int64_t a_step, int32_t rows, const float* b,
                 int64_t k, float* out, int64_t out_stride) {
  switch (rows) {
    case 1:
      return skinny_panels<1>(a, a_row_stride, a_step, b, k, out, out_stride);
    case 2:
      return skinny_panels<2>(a, a_row_stride, a_step, b, k, out, out_stride);
    case 3:
      return skinny_panels<3>(a, a_row_stride, a_step, b, k, out, out_stride);
    default:
      return skinny_panels<4>(a, a_row_stride, a_step, b, k, out, out_stride);
  }
}

}  // namespace ortool::cpu::neon
