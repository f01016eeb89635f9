// Microkernels of NCHWc convolutions and pools: register tiles of pixels by one or two vectors of
// channels, a table for each instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/gemm/f32/microkernel.hpp"
#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// A stretch of the sums of a tile: for each plane, each row of the window and each run of it,
/// `length` numbers one behind the other.
struct TileSection {
  int64_t planes;
  int64_t runs;
  int64_t length;
};

/// What is done to sums before they are stored; NaN passes.
struct NchwcEpilogue {
  const float* residual;  ///< at the tile's first output, with its steps; null: none
  Activation activation;
  float low;
  float high;
};

/// Output pixels in a row, each one vector or two of channels wide. Steps are in floats.
struct NchwcTile {
  const float* x;      ///< the first number of the first pixel's window, at its first row
  int64_t pixel_step;  ///< from a pixel's window to the next one's
  int64_t plane_step;
  int64_t row_step;
  int64_t run_step;
  int64_t first_row;        ///< of the window's rows, the first inside the image
  int64_t rows;             ///< and how many are
  int64_t weight_rows;      ///< all rows of the window
  TileSection sections[2];  ///< one behind the other in x's planes and in the weights
  const float* weights;     ///< the vectors of one number are neighbours
  const float* bias;        ///< null: none
  float* y;
  int64_t y_vector_step;  ///< from one vector of channels to the other
  bool begins;            ///< the sums start from zero, else from what y holds
  bool ends;              ///< the sums get the bias and what `finish` says
  NchwcEpilogue finish;
  /// The line that holds it is brought near, with each number `ahead_step` floats on.
  const float* ahead;
  int64_t ahead_step;
  /// The same of x: begins so far behind each run, and is a pixel further on with each number.
  int64_t x_ahead;
  int64_t x_ahead_step;
};

/// Windows in a row over one block of channels, each channel by itself.
struct NchwcDepthwise {
  const float* x;
  int64_t pixel_step;
  int64_t row_step;
  int64_t column_step;
  int64_t rows;  ///< of the window, those inside the image
  int64_t columns;
  const float* weights;  ///< a vector a position; null for pools
  int64_t weight_row_step;
  const float* bias;  ///< null: none
  float* y;
  NchwcEpilogue finish;
};

/// Windows of 3 × 3 neighbouring pixels over one block of channels, each channel by itself. Along
/// rows they reach at most one pixel beyond the image on either side.
struct NchwcDepthwise3x3 {
  const float* x;  ///< the image
  int64_t in_rows;
  int64_t in_columns;
  int64_t out_columns;
  int64_t row_stride;
  int64_t column_stride;  ///< 1 or 2
  int64_t row_pad;
  int64_t column_pad;  ///< 0 or 1
  const float* weights;
  const float* bias;  ///< null: none
  float* y;
  NchwcEpilogue finish;  ///< its residual lies as y does
};

struct NchwcFunctions {
  int32_t lanes;
  int32_t most_pixels[2];  ///< of a tile of one vector, of two
  void (*tile)(const NchwcTile& tile, int32_t vectors, int32_t pixels);
  /// Any number of pixels.
  void (*depthwise)(const NchwcDepthwise& part, int64_t pixels);
  /// The same for `rows` rows of as many pixels, one behind the other in y; `x_step` lies between
  /// their windows.
  void (*depthwise_rows)(const NchwcDepthwise& first, int64_t pixels, int64_t rows, int64_t x_step);
  /// Rows [begin, end) of the result.
  void (*depthwise_three)(const NchwcDepthwise3x3& three, int64_t begin, int64_t end);
  /// The largest of each window, without weights; NaN wins, and the lowest number stands for a
  /// window without pixels.
  void (*largest)(const NchwcDepthwise& part, int64_t pixels);
  /// The sum of each window over `count`, 0 where that is 0.
  void (*mean)(const NchwcDepthwise& part, int64_t pixels, float count);
  /// The mean of a block's pixels, of `channels` of its channels.
  void (*plane_mean)(const float* x, int64_t pixels, float* y, int64_t channels);
};

/// Of avx2 or avx512.
ORTOOL_ISA_KERNEL(NchwcFunctions, nchwc_functions, avx2, avx512)

}  // namespace ortool::cpu
