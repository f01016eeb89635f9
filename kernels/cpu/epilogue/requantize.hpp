// Epilogue of int8 products: int32 accumulators to floats or int8, a function for each instruction
// set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/epilogue/quantize_rows.hpp"
#include "kernels/cpu/isa/isa_kernel.hpp"
#include "libcore/base/activation.hpp"

namespace ortool::cpu {

/// Sums on their way to floats or bytes, in this order:
///
///     x = float(sum + offset) * scale
///     x = float(clamp(nearest(x))) * step      where it has steps
///     x = activate(x + bias + residual)
///     x as it is, or clamp(nearest(x / divisor)) + zero point
///
/// Halves go to even, and NaN becomes the least byte or step but behind a divisor.
/// Lists have an element a column of the whole product.
struct Int8Epilogue {
  const int32_t* offsets;
  const float* scales;
  int32_t has_steps;  ///< rounded as a quantisation in between asks for
  float steps_low;    ///< where whole numbers of steps may lie
  float steps_high;
  float step;
  const float* bias;      ///< null: none
  const float* residual;  ///< a row a row of the product; null: none
  int64_t residual_stride;
  Activation activation;
  float low;  ///< the activation's numbers
  float high;
  int32_t makes_bytes;
  float divisor;  ///< of bytes, NaN then counting as 0; 0: none
  Int8Range range;
  void* out;  ///< bytes or floats
  int64_t out_stride;
};

/// A block of sums: `sums` holds those of rows [row, row + rows) and columns [column, column +
/// columns) of the product, rows `sums_stride` apart.
struct AccumulatorBlock {
  int32_t* sums;
  int64_t sums_stride;
  int64_t row;
  int64_t rows;
  int64_t column;
  int64_t columns;
};

using RequantizeFunction = void (*)(const Int8Epilogue& finish, const AccumulatorBlock& block);

/// The function of a level. Without functions among the activations all give the same bits.
ORTOOL_ISA_KERNEL(RequantizeFunction, requantize_function, baseline, avx2, avx512)

}  // namespace ortool::cpu
