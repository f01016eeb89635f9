// Microkernels of NCHWc convolution and pooling: register tiles of pixels by one or two vectors of
// channels, one table per instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/epilogue/activation_rows.hpp"
#include "kernels/cpu/epilogue/epilogue.hpp"
#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// A section of a tile's reduction: for each plane, each window row and each run in it, `length`
/// contiguous inputs.
struct TileSection {
  int64_t planes;
  int64_t runs;
  int64_t length;
  int64_t first_run;  ///< of those inside the image
  int64_t end_run;
};

/// A tile of output pixels in a row, each one or two vectors of channels wide. Steps are in floats.
struct NchwcTile {
  const float* x;      ///< start of the first pixel's window, at kernel row 0
  int64_t pixel_step;  ///< between the windows of adjacent pixels
  int64_t plane_step;
  int64_t row_step;
  int64_t run_step;
  int64_t first_row;        ///< first kernel row inside the image
  int64_t rows;             ///< number of kernel rows inside the image
  int64_t weight_rows;      ///< number of all kernel rows
  TileSection sections[2];  ///< consecutive in x's planes and in the weights
  const float* weights;     ///< the vectors of one input are adjacent
  float* y;
  int64_t y_vector_step;  ///< between the two vectors of channels
  bool begins;            ///< accumulators start at zero, otherwise at y
  bool ends;              ///< the epilogue is applied
  EpilogueTile epilogue;
  /// Prefetch address of the next weights; advances by `ahead_step` floats with each input.
  const float* ahead;
  int64_t ahead_step;
  /// Prefetch of x: offset from the start of each run; advances by one pixel with each input.
  int64_t x_ahead;
  int64_t x_ahead_step;
};

/// Depthwise windows in a row, over one block of channels.
struct NchwcDepthwise {
  const float* x;
  int64_t pixel_step;
  int64_t row_step;
  int64_t column_step;
  int64_t rows;  ///< kernel rows inside the image
  int64_t columns;
  const float* weights;  ///< one vector per position; null for pooling
  int64_t weight_row_step;
  float* y;
  EpilogueTile epilogue;
};

/// Depthwise 3 × 3 windows, dilation 1, over one block of channels. Along a row they reach at most
/// one pixel beyond the image on either side. The types of x and y are the function's: float, or
/// uint16_t for bfloat16.
struct NchwcDepthwise3x3 {
  const void* x;  ///< the image
  int64_t in_rows;
  int64_t in_columns;
  int64_t out_columns;
  int64_t row_stride;
  int64_t column_stride;  ///< 1 or 2
  int64_t row_pad;
  int64_t column_pad;  ///< 0 or 1
  const float* weights;
  void* y;
  EpilogueTile epilogue;  ///< the residual is laid out like y
};

struct NchwcFunctions {
  int32_t lanes;
  int32_t max_pixels[2];  ///< of a one-vector tile, of a two-vector tile
  void (*tile)(const NchwcTile& tile, int32_t vectors, int32_t pixels);
  /// Any number of pixels.
  void (*depthwise)(const NchwcDepthwise& part, int64_t pixels);
  /// The same for `rows` rows of equally many pixels, consecutive in y; their windows are `x_step`
  /// apart.
  void (*depthwise_rows)(const NchwcDepthwise& first, int64_t pixels, int64_t rows, int64_t x_step);
  /// Output rows [begin, end).
  void (*depthwise_three)(const NchwcDepthwise3x3& three, int64_t begin, int64_t end);
  /// Maximum of each window, without weights. NaN propagates; a window without pixels yields the
  /// lowest finite value.
  void (*largest)(const NchwcDepthwise& part, int64_t pixels);
  /// The sum of each window divided by `count`; 0 if that is 0.
  void (*mean)(const NchwcDepthwise& part, int64_t pixels, float count);
  /// Repeats channels: of each pixel of a block, `lanes / multiplier` channels from `first` on,
  /// each `multiplier` times. The multiplier divides the lanes.
  void (*repeat_channels)(const float* x, int64_t pixels, int32_t first, int32_t multiplier,
                          float* y);
  /// The mean over a block's pixels, for the first `channels` of its channels.
  void (*plane_mean)(const float* x, int64_t pixels, float* y, int64_t channels);
  /// As GemmFunctions::activate: the other functions leave gelu and those after it out.
  void (*activate)(Activation activation, float low, float* values, int64_t stride, int64_t rows,
                   int64_t columns);
};

/// Available for avx2 and avx512, and on aarch64.
ORTOOL_ISA_KERNEL(NchwcFunctions, nchwc_functions, neon, avx2, avx512)

}  // namespace ortool::cpu
