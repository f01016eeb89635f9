// Epilogue of int8 products: int32 accumulators to float or int8, one function per instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/epilogue/quantize_rows.hpp"
#include "kernels/cpu/isa/isa_kernel.hpp"
#include "libcore/base/activation.hpp"

namespace ortool::cpu {

/// Steps applied to each accumulator, in this order:
///
///     x = float(sum + offset) * scale
///     x = float(clamp(nearest(x))) * step      if has_steps
///     x = activate(x + bias + residual)
///     x itself, or clamp(nearest(x / divisor)) + zero point
///
/// Rounding is ties to even. NaN becomes the lowest value, except after a divisor, where it counts
/// as 0. Arrays have one element per column of the whole product.
struct Int8Epilogue {
  const int32_t* offsets;
  const float* scales;
  int32_t has_steps;  ///< rounds as an intermediate quantization would
  float steps_low;    ///< bounds of the intermediate quantization
  float steps_high;
  float step;
  const float* bias;      ///< null: none
  const float* residual;  ///< one row per row of the product; null: none
  int64_t residual_stride;
  Activation activation;
  float low;  ///< parameters of the activation
  float high;
  int32_t makes_bytes;
  float divisor;  ///< output scale, NaN then counts as 0; 0: none
  Int8Range range;
  void* out;  ///< int8 or float
  int64_t out_stride;
};

/// A block of accumulators: rows [row, row + rows) by columns [column, column + columns) of the
/// product, with rows `sums_stride` apart.
struct AccumulatorBlock {
  int32_t* sums;
  int64_t sums_stride;
  int64_t row;
  int64_t rows;
  int64_t column;
  int64_t columns;
};

using RequantizeFunction = void (*)(const Int8Epilogue& finish, const AccumulatorBlock& block);

/// The kernel of an instruction set. Bit-identical on all of them, unless the activation is a
/// transcendental function.
ORTOOL_ISA_KERNEL(RequantizeFunction, requantize_function, baseline, avx2, avx512)

}  // namespace ortool::cpu
