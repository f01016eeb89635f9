// Epilogue of products and convolutions: what is done to the sums before they are stored (scale,
// bias, residual, activation, requantization).
#pragma once

#include <stdint.h>

#include "kernels/cpu/epilogue/quantize_rows.hpp"
#include "libcore/base/activation.hpp"

namespace ortool::cpu {

/// How the added matrix (a bias) is spread over the result.
enum class Addend : int32_t { none, scalar, per_row, per_column, full };

/// Which axis of the result the channels are, of which each has an offset and a scale: the columns
/// of a matrix product, or the rows of a convolution, whose columns are pixels.
enum class ChannelAxis : int32_t { columns, rows };

/// What the result holds. A sum of int32 that stays one gets its offset alone.
enum class EpilogueOutput : int32_t { float32, int32, int8 };

/// What follows the sums of a product or convolution, in float32 and in int8, in this order:
///
///     x = alpha * sum                          sums of float32
///     x = float(sum + offset) * scale          sums of int32, an offset and scale a channel
///     x = clamp(nearest(x)) * step             int32 with `has_steps`: a quantization in between
///     x = activate(x + beta * added + residual)
///     x as it is, or clamp(nearest(x / divisor)) + zero point
///
/// Halves go to even, and NaN becomes the least byte or step but behind a divisor. Lists have an
/// element a row or column of the whole result. What a kernel cannot compute its header says.
struct Epilogue {
  float alpha = 1.0F;
  float beta = 1.0F;
  Addend addend = Addend::none;
  Activation activation = Activation::none;
  float low = 0.0F;  ///< the activation's parameters
  float high = 0.0F;
  /// scalar: one number; per_row: a number a row; per_column: one a column; full: a matrix.
  const float* added = nullptr;
  /// full: floats from row to row; otherwise ignored.
  int64_t added_stride = 0;
  /// A matrix like the result, or null. It must not overlap the result.
  const float* residual = nullptr;
  int64_t residual_stride = 0;

  // Of int32 sums alone.
  ChannelAxis channels = ChannelAxis::columns;
  EpilogueOutput output = EpilogueOutput::float32;
  const int32_t* offsets = nullptr;  ///< one a channel; null: none, where the output is int32
  const float* scales = nullptr;     ///< one a channel
  int32_t has_steps = 0;
  float steps_low = 0.0F;  ///< where whole numbers of steps may lie
  float steps_high = 0.0F;
  float step = 0.0F;
  float divisor = 0.0F;  ///< of int8, NaN then counting as 0; 0: none
  Int8Range range = {};  ///< of int8
};

/// An epilogue as a convolution's microkernel reads it: pointers at the first channel and pixel of
/// its tile. Small, since it is made anew for each row of pixels or more often.
struct EpilogueTile {
  const float* bias;      ///< one a channel; null: none
  const float* residual;  ///< with the tile's steps; null: none
  Activation activation;  ///< NaN passes
  float low;
  float high;
  const int32_t* offsets;  ///< of int32 sums, one a channel
  const float* scales;     ///< the same
  Int8Range range;
};

}  // namespace ortool::cpu
