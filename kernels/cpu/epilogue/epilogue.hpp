// Epilogue of products and convolutions: scale, bias, residual, activation and requantization of
// the sums before they are stored.
#pragma once

#include <stdint.h>

#include "kernels/cpu/epilogue/quantize_rows.hpp"
#include "libcore/base/activation.hpp"

namespace ortool::cpu {

/// How the added matrix (a bias, for example) is broadcast to the result.
enum class Addend : int32_t { none, scalar, per_row, per_column, full };

/// The axis of the result that holds the output channels, to which offsets and scales belong: the
/// columns of a matrix product, or the rows of a convolution, whose columns are pixels.
enum class ChannelAxis : int32_t { columns, rows };

/// Element type of the result. An int32 result gets the offset only.
enum class EpilogueOutput : int32_t { float32, int32, int8 };

/// Steps applied to each sum of a product or convolution, float32 or int8, in this order:
///
///     x = alpha * sum                          float32 sums
///     x = float(sum + offset) * scale          int32 sums, one offset and scale per channel
///     x = clamp(nearest(x)) * step             int32 sums, if has_steps
///     x = activate(x + beta * added + residual)
///     x itself, or clamp(nearest(x / divisor)) + zero point
///
/// Rounding is ties to even. NaN becomes the lowest value, except after a divisor, where it counts
/// as 0. Arrays have one element per row or column of the whole result. Each kernel's header says
/// which of these it supports.
struct Epilogue {
  float alpha = 1.0F;
  float beta = 1.0F;
  Addend addend = Addend::none;
  Activation activation = Activation::none;
  float low = 0.0F;  ///< parameters of the activation
  float high = 0.0F;
  /// scalar: one value; per_row: one per row; per_column: one per column; full: a matrix.
  const float* added = nullptr;
  /// full: floats between rows; otherwise ignored.
  int64_t added_stride = 0;
  /// A matrix shaped like the result, or null. Must not overlap the result.
  const float* residual = nullptr;
  int64_t residual_stride = 0;

  // Of int32 sums only.
  ChannelAxis channels = ChannelAxis::columns;
  EpilogueOutput output = EpilogueOutput::float32;
  const int32_t* offsets = nullptr;  ///< one per channel; null: none (int32 output only)
  const float* scales = nullptr;     ///< one per channel
  int32_t has_steps = 0;             ///< rounds as an intermediate quantization would
  float steps_low = 0.0F;            ///< bounds of the intermediate quantization
  float steps_high = 0.0F;
  float step = 0.0F;
  float divisor = 0.0F;  ///< output scale, NaN then counts as 0; 0: none
  Int8Range range = {};  ///< of int8 output
};

/// The part of an epilogue that a convolution's microkernel reads, with pointers at the first
/// channel and pixel of its tile. Small, since it is set for each row of pixels or more often.
struct EpilogueTile {
  const float* bias;      ///< one per channel; null: none
  const float* residual;  ///< same strides as the tile; null: none
  Activation activation;  ///< NaN propagates
  float low;
  float high;
  const int32_t* offsets;  ///< of int32 sums, one per channel
  const float* scales;     ///< one per channel
  Int8Range range;
};

}  // namespace ortool::cpu
