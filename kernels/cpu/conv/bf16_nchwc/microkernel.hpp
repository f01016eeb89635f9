// Microkernel of bfloat16 NCHW16c convolution: copied pixels by panels of weights.
#pragma once

#include <stdint.h>

#include "kernels/cpu/epilogue/epilogue.hpp"
#include "kernels/cpu/gemm/bf16/microkernel.hpp"
#include "kernels/cpu/isa/bf16_features.hpp"

namespace ortool::cpu {

/// Positions that are multiplied together.
constexpr int64_t bf16_group_positions = 32;

/// Adjacent positions, and the output pixel of each: -1 for those that belong to no pixel, since
/// they lie between two rows, or to another group's.
struct Bf16Positions {
  int64_t start;
  int32_t pixels[bf16_group_positions];
};

/// A part of a convolution: groups of positions by panels of 16 output channels each.
struct Bf16ConvProduct {
  const uint16_t* positions;  ///< of the strip's input, as bfloat16
  int64_t position_values;    ///< values between positions
  const int64_t* offsets;     ///< per step: values from a position to the input of the step
  int64_t steps;
  int64_t step_pairs;       ///< pairs of values in a step: 16, or 8 in place of half of one
  int64_t chunks;           ///< steps of a tap, of which the last one may be partly empty
  int64_t last_pairs;       ///< pairs of values in the last step of a tap; the others are zero
  const uint16_t* weights;  ///< panels as pack_columns makes them
  int64_t panel_values;     ///< of the weights
  int64_t panel_begin;
  int64_t panel_end;
  int64_t prefetched_panels;  ///< panels before this may be prefetched
  const Bf16Positions* groups;
  int64_t group_count;
  float* y;                           ///< of the image, NCHW16c; null: in bfloat16
  uint16_t* y_bfloat16;               ///< the same, rounded; null: in float32
  int64_t panel_stride;               ///< elements between panels of y, and of the residual
  const float* bias;                  ///< one per channel, padded to whole panels; null: none
  const float* residual;              ///< of the image, laid out as y; null: none
  const uint16_t* residual_bfloat16;  ///< the same in bfloat16; null: none
  Activation activation;
  float low;
  float high;
};

/// A row of adjacent output columns' inputs, converted for one chunk of 32 channels.
struct Bf16RowCopy {
  /// The first pixel to read, of the chunk's first block of 16 channels: one of them, by type.
  const float* in;
  const uint16_t* in_bfloat16;
  int64_t in_stride;   ///< elements between blocks; 0: the chunk has one block only
  int64_t pixel_step;  ///< elements between pixels
  int64_t before;      ///< leading zero positions
  int64_t inside;      ///< pixels to read
  int64_t behind;      ///< trailing zero positions
  uint16_t* out;
};

struct Bf16ConvFunctions {
  /// Rounds adjacent values to bfloat16, ties to even.
  void (*round_row)(const float* in, int64_t count, uint16_t* out);
  /// Rounds float32 to bfloat16, ties to even.
  void (*copy_row)(const Bf16RowCopy& copy);
  /// Sums run over the steps in order.
  void (*multiply)(const Bf16ConvProduct& product);
};

ORTOOL_ISA_BF16_KERNEL_OR_NULL(Bf16ConvFunctions, bf16_conv_functions, bf16, amxbf16)

}  // namespace ortool::cpu
