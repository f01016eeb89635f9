// Winograd F(4 × 4, 3 × 3) weight transform in float64.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/conv/f32_nchw/winograd_transform.hpp"

namespace ortool::cpu {

/// Multiplies three weights each by the matrix G of Lavin and Gray 2015 (arXiv:1509.09308).
template <std::size_t count>
void transform_weights(const double (&a)[count], const double (&b)[count], const double (&c)[count],
                       double (&out)[winograd_reach][count]) {
  for (std::size_t i = 0; i < count; ++i) {
    out[0][i] = a[i] / 4;
    out[1][i] = -(a[i] + b[i] + c[i]) / 6;
    out[2][i] = -(a[i] - b[i] + c[i]) / 6;
    out[3][i] = (a[i] + 2 * b[i] + 4 * c[i]) / 24;
    out[4][i] = (a[i] - 2 * b[i] + 4 * c[i]) / 24;
    out[5][i] = c[i];
  }
}

/// The 36 transformed weights of each of `count` kernels; values at the same position are adjacent.
template <std::size_t count>
void transform_windows(const double (&windows)[9][count],
                       double (&factors)[winograd_products][count]) {
  double half[3][winograd_reach][count];
  for (int column = 0; column < 3; ++column)
    transform_weights(windows[column], windows[3 + column], windows[6 + column], half[column]);
  for (std::int64_t row = 0; row < winograd_reach; ++row) {
    double line[winograd_reach][count];
    transform_weights(half[0][row], half[1][row], half[2][row], line);
    for (std::int64_t i = 0; i < winograd_reach; ++i) {
      for (std::size_t j = 0; j < count; ++j) factors[winograd_reach * row + i][j] = line[i][j];
    }
  }
}

}  // namespace ortool::cpu
