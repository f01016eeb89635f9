// GEMM packing and skinny products in portable C++.
#include <algorithm>
#include <cstdint>

#include "kernels/cpu/gemm/f32/pack.hpp"

namespace ortool::cpu::baseline {

void pack_transposed(const float* in, std::int64_t in_stride, std::int32_t rows, std::int32_t width,
                     std::int64_t k, float* out, std::int64_t out_stride) {
  for (std::int64_t step = 0; step < k; ++step) {
    float* to = out + step * out_stride;
    for (std::int32_t row = 0; row < rows; ++row) to[row] = in[row * in_stride + step];
    std::fill(to + rows, to + width, 0.0F);
  }
}

void pack_rows(const float* in, std::int64_t in_stride, std::int32_t columns, std::int32_t width,
               std::int64_t k, float* out) {
  for (std::int64_t step = 0; step < k; ++step) {
    float* to = out + step * width;
    std::copy_n(in + step * in_stride, columns, to);
    std::fill(to + columns, to + width, 0.0F);
  }
}

void dot_rows(const float* a, std::int64_t a_stride, std::int64_t rows, std::int64_t k,
              const float* x, float* out) {
  constexpr std::int64_t lanes = 16;
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* from = a + row * a_stride;
    float sums[lanes] = {};
    std::int64_t step = 0;
    for (; step + lanes <= k; step += lanes) {
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        sums[lane] += from[step + lane] * x[step + lane];
      }
    }
    for (std::int64_t lane = 0; step < k; ++step, ++lane) sums[lane] += from[step] * x[step];
    for (std::int64_t half = lanes / 2; half > 0; half /= 2) {
      for (std::int64_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
    }
    out[row] = sums[0];
  }
}

void skinny_product(const float* a, std::int64_t a_row_stride, std::int64_t a_step,
                    std::int32_t rows, const float* b, std::int64_t b_stride, std::int64_t columns,
                    std::int64_t k, float* out, std::int64_t out_stride) {
  for (std::int32_t row = 0; row < rows; ++row) {
    float* to = out + row * out_stride;
    std::fill_n(to, columns, 0.0F);
    for (std::int64_t step = 0; step < k; ++step) {
      const float factor = a[row * a_row_stride + step * a_step];
      const float* from = b + step * b_stride;
      for (std::int64_t column = 0; column < columns; ++column) to[column] += factor * from[column];
    }
  }
}

void skinny_pair(const float* a, std::int64_t a_row_stride, std::int64_t a_step, std::int32_t rows,
                 const float* b, std::int64_t k, float* out, std::int64_t out_stride) {
  constexpr std::int64_t width = 8;
  skinny_product(a, a_row_stride, a_step, rows, b, width, width, k, out, out_stride);
  skinny_product(a, a_row_stride, a_step, rows, b + k * width, width, width, k, out + width,
                 out_stride);
}

}  // namespace ortool::cpu::baseline
