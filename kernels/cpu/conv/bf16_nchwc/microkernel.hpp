// Microkernel of bfloat16 NCHW16c convolution: copied pixels by panels of weights.
#pragma once

#include <stdint.h>

#include "kernels/cpu/epilogue/epilogue.hpp"
#include "kernels/cpu/gemm/bf16/microkernel.hpp"
#include "kernels/cpu/isa/bf16_features.hpp"

namespace ortool::cpu {

/// Copied positions that are multiplied together.
constexpr int64_t bf16_group_positions = 32;

/// Adjacent positions of the copy, and the output pixel of each: -1 for those that belong to no
/// pixel, since they lie between two rows.
struct Bf16Positions {
  int64_t start;
  int32_t pixels[bf16_group_positions];
};

/// A part of a convolution: groups of positions by panels of 16 output channels each.
struct Bf16ConvProduct {
  const uint16_t* copy;     ///< of the strip's input, as bfloat16
  int64_t position_values;  ///< values between positions
  const int64_t* offsets;   ///< per step: values from a position to the input of the step
  int64_t steps;
  const uint16_t* weights;  ///< panels as pack_columns makes them, steps × 32 values of k
  int64_t panel_begin;
  int64_t panel_end;
  int64_t prefetched_panels;  ///< panels before this may be prefetched
  const Bf16Positions* groups;
  int64_t group_count;
  float* y;               ///< of the image, NCHW16c
  int64_t panel_stride;   ///< floats between panels of y, and of the residual
  const float* bias;      ///< one per channel, padded to whole panels; null: none
  const float* residual;  ///< of the image, laid out as y; null: none
  Activation activation;
  float low;
  float high;
};

/// A row of adjacent output columns' inputs, converted for one chunk of 32 channels.
struct Bf16RowCopy {
  const float* in;     ///< the first pixel to read, of the chunk's first block of 16 channels
  int64_t in_stride;   ///< floats between blocks; 0: the chunk has one block only
  int64_t pixel_step;  ///< floats between pixels
  int64_t before;      ///< leading zero positions
  int64_t inside;      ///< pixels to read
  int64_t behind;      ///< trailing zero positions
  uint16_t* out;
};

struct Bf16ConvFunctions {
  /// Rounds adjacent values to bfloat16, ties to even.
  void (*round_row)(const float* in, int64_t count, uint16_t* out);
  /// Rounds to bfloat16, ties to even.
  void (*copy_row)(const Bf16RowCopy& copy);
  /// Sums run over the steps in order.
  void (*multiply)(const Bf16ConvProduct& product);
};

ORTOOL_ISA_BF16_KERNEL_OR_NULL(Bf16ConvFunctions, bf16_conv_functions, bf16, amxbf16)

}  // namespace ortool::cpu
