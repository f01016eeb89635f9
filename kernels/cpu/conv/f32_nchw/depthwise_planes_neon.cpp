// Depthwise convolution with 3x3 or 5x5 kernels for NEON: 4 columns by up to 4 rows at a time, from
// rows that are copied between zeros.
#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/epilogue/activation_rows.hpp"
#include "kernels/cpu/isa/add_lane_neon.inc"

#define ORTOOL_ISA neon
#include "kernels/cpu/conv/f32_nchw/depthwise_plane_dispatch.inc"
#include "kernels/cpu/epilogue/activation_vector.inc"

namespace ortool::cpu::neon {
namespace {

constexpr int64_t lanes_of_block = 4;
constexpr int64_t rows_of_block = 4;
/// Output rows and columns whose inputs are copied together.
constexpr int64_t strip_rows = 16;
constexpr int64_t strip_columns = 128;

Floats activate_by(const EpilogueTile& epilogue, Floats x) {
  const Floats low = splat(epilogue.low);
  const Floats high = splat(epilogue.high);
  switch (epilogue.activation) {
    case Activation::relu:
      return activate<Activation::relu>(x, low, high);
    case Activation::clip:
      return activate<Activation::clip>(x, low, high);
    case Activation::leaky_relu:
      return activate<Activation::leaky_relu>(x, low, high);
    case Activation::hard_swish:
      return activate<Activation::hard_swish>(x, low, high);
    default:
      return x;
  }
}

template <int kernel>
struct Weights {
  static constexpr int count = kernel * kernel;
  float32x4_t values[size_t{(count + 3) / 4}];

  explicit Weights(const float* from) {
#pragma GCC unroll 6
    for (int i = 0; i < count / 4; ++i) values[i] = vld1q_f32(from + 4 * i);
    values[count / 4] = vld1q_dup_f32(from + count - 1);
  }
};

/// The input pixels of a strip of output, zero outside the plane.
template <int kernel, int stride>
struct Strip {
  static constexpr int64_t rows = (strip_rows - 1) * stride + kernel;
  static constexpr int64_t columns = strip_columns * stride + kernel + 3;
  float pixels[size_t{rows}][size_t{columns}];

  void fill(const DepthwisePlanes& planes, const Plane& plane, int64_t first_row, int64_t out_rows,
            int64_t first_column, int64_t out_columns) {
    const int64_t top = first_row * stride - planes.row_pad;
    const int64_t left = first_column * stride - planes.column_pad;
    const int64_t width = out_columns * stride + kernel + 3;
    const int64_t begin = left < 0 ? (-left < width ? -left : width) : 0;
    const int64_t room = planes.in_columns - left;
    const int64_t inside = room < width ? room : width;
    const int64_t end = inside > begin ? inside : begin;
    for (int64_t row = 0; row < (out_rows - 1) * stride + kernel; ++row) {
      float* to = pixels[row];
      const int64_t y = top + row;
      const bool exists = y >= 0 && y < planes.in_rows;
      const float* from = plane.in + y * planes.in_columns + left;
      for (int64_t i = 0; i < (exists ? begin : width); ++i) to[i] = 0.0F;
      if (!exists) continue;
      __builtin_memcpy(to + begin, from + begin, static_cast<size_t>(end - begin) * sizeof(float));
      for (int64_t i = end; i < width; ++i) to[i] = 0.0F;
    }
  }

  /// What four output columns read of a row, for each kernel column.
  static inline __attribute__((always_inline)) void load(const float* from,
                                                         float32x4_t (&seen)[size_t{kernel}]) {
    if constexpr (stride == 1) {
#pragma GCC unroll 5
      for (int k = 0; k < kernel; ++k) seen[k] = vld1q_f32(from + k);
    } else {
#pragma GCC unroll 3
      for (int k = 0; k < kernel; k += 2) {
        const float32x4x2_t both = vld2q_f32(from + k);
        seen[k] = both.val[0];
        if (k + 1 < kernel) seen[k + 1] = both.val[1];
      }
    }
  }
};

/// `rows` output rows of four columns, whose inputs begin at `from`.
template <int kernel, int stride, int rows>
void run_block(const DepthwisePlanes& planes, const Plane& plane, const Weights<kernel>& weights,
               const float* from, int64_t row, int64_t column) {
  float32x4_t sums[size_t{rows}];
#pragma GCC unroll 4
  for (int i = 0; i < rows; ++i) sums[i] = vdupq_n_f32(0.0F);
#pragma GCC unroll 16
  for (int in_row = 0; in_row < (rows - 1) * stride + kernel; ++in_row) {
    float32x4_t seen[size_t{kernel}];
    Strip<kernel, stride>::load(from + in_row * Strip<kernel, stride>::columns, seen);
#pragma GCC unroll 4
    for (int i = 0; i < rows; ++i) {
      const int at = in_row - i * stride;
      if (at < 0 || at >= kernel) continue;
#pragma GCC unroll 5
      for (int k = 0; k < kernel; ++k) {
        const int index = at * kernel + k;
        sums[i] = add_lane(sums[i], seen[k], weights.values[index / 4], index % 4);
      }
    }
  }
  const int64_t left = planes.out_columns - column;
#pragma GCC unroll 4
  for (int i = 0; i < rows; ++i) {
    const int64_t at = (row + i) * planes.out_columns + column;
    Floats value = vaddq_f32(sums[i], vdupq_n_f32(plane.bias));
    if (plane.residual != nullptr) {
      const float* added = plane.residual + at;
      value += left < lanes_of_block ? load_partial(added, left) : load(added);
    }
    value = activate_by(planes.epilogue, value);
    if (left < lanes_of_block) {
      store_partial(plane.out + at, value, left);
    } else {
      store(plane.out + at, value);
    }
  }
}

template <int kernel, int stride>
void run_strip(const DepthwisePlanes& planes, const Plane& plane, Strip<kernel, stride>& strip,
               int64_t first_row, int64_t rows, int64_t first_column) {
  const int64_t room = planes.out_columns - first_column;
  const int64_t columns = room < strip_columns ? room : strip_columns;
  strip.fill(planes, plane, first_row, rows, first_column, columns);
  const Weights<kernel> weights(plane.weights);
  int64_t together = rows_of_block;
  for (int64_t row = 0; row < rows; row += together) {
    together = rows - row < rows_of_block ? 1 : rows_of_block;
    for (int64_t column = 0; column < columns; column += lanes_of_block) {
      const float* from = strip.pixels[row * stride] + column * stride;
      if (together == 1) {
        run_block<kernel, stride, 1>(planes, plane, weights, from, first_row + row,
                                     first_column + column);
      } else {
        run_block<kernel, stride, rows_of_block>(planes, plane, weights, from, first_row + row,
                                                 first_column + column);
      }
    }
  }
}

template <int kernel, int stride>
void run_planes(const DepthwisePlanes& planes) {
  Strip<kernel, stride> strip;
  for (int64_t index = 0; index < planes.planes; ++index) {
    const Plane plane = plane_at(planes, index);
    for (int64_t row = planes.row_begin; row < planes.row_end; row += strip_rows) {
      const int64_t left = planes.row_end - row;
      for (int64_t column = 0; column < planes.out_columns; column += strip_columns) {
        run_strip<kernel, stride>(planes, plane, strip, row, left < strip_rows ? left : strip_rows,
                                  column);
      }
    }
  }
}

}  // namespace

const DepthwisePlanesFunction depthwise_planes_function = depthwise_planes;

}  // namespace ortool::cpu::neon
