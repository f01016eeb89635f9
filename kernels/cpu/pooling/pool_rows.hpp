// Pooling row loops for float32, one table per instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// Floats past the end of a row that may be read without affecting the result.
constexpr int64_t pool_slack = 48;

/// Windows that lie inside the image, with the rows under them; rows[r] begins at the first window.
struct WindowRows {
  const float* const* rows;
  int64_t row_count;  ///< at least 1
  int64_t kernel;
  int64_t stride;  ///< 1 or, for kernels of 2 or 3 columns without dilation, 2
  int64_t dilation;
  int64_t count;  ///< of windows, at least PoolFunctions::lanes
  float* out;
  /// Windows of three columns of which two lie in the image, before the first and behind the last.
  bool has_left_edge = false;
  bool has_right_edge = false;
  int64_t first_column = 0;    ///< of the image, counted from where the rows begin
  int64_t behind_columns = 0;  ///< the same for the end of its rows
  /// What sums are divided by: those inside, and at the edges.
  float divisor = 1;
  float left_divisor = 1;
  float right_divisor = 1;
};

struct PoolFunctions {
  int64_t lanes;
  /// out[i] = the sum of window i, by columns, then over them, divided by its divisor. Reads what
  /// windows cover.
  void (*mean_of_windows)(const WindowRows& windows);
  /// The maximum; NaN wins.
  void (*max_of_windows)(const WindowRows& windows);
  /// out[i] = max(out[i], in[i]); NaN wins.
  void (*max_into)(const float* in, float* out, int64_t count);
  /// out[i] += in[i].
  void (*add_into)(const float* in, float* out, int64_t count);
  /// out[i] = the maximum of row[i * stride + k * dilation], k < kernel; NaN wins. Up to
  /// `pool_slack` floats past the last window may be read.
  void (*max_windows)(const float* row, int64_t kernel, int64_t stride, int64_t dilation,
                      int64_t count, float* out);
  /// out[i] = the sum of row[i * stride + k * dilation], k < kernel. May read as max_windows().
  void (*sum_windows)(const float* row, int64_t kernel, int64_t stride, int64_t dilation,
                      int64_t count, float* out);
  /// values[i] /= divisor.
  void (*divide)(float* values, int64_t count, float divisor);
  /// The maximum of `count` > 0 values; NaN wins.
  float (*max_of)(const float* in, int64_t count);
  float (*sum_of)(const float* in, int64_t count);
};

ORTOOL_ISA_KERNEL(PoolFunctions, pool_functions, baseline, avx2, avx512)

}  // namespace ortool::cpu
