// Epilogue of int8 products: int32 accumulators to float or int8, one function per instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/epilogue/epilogue.hpp"
#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// A block of accumulators: rows [row, row + rows) by columns [column, column + columns) of the
/// columns) of the product, with rows `sums_stride` apart. `out` is the result of the whole
/// product, of the epilogue's output type.
struct AccumulatorBlock {
  int32_t* sums;
  int64_t sums_stride;
  int64_t row;
  int64_t rows;
  int64_t column;
  int64_t columns;
  void* out;
  int64_t out_stride;
};

/// Supports epilogues with float32 or int8 output whose channels are columns, with a per-column
/// addend or none; alpha and beta are ignored.
using RequantizeFunction = void (*)(const Epilogue& epilogue, const AccumulatorBlock& block);

/// The kernel of an instruction set. Bit-identical on all of them, unless the activation is a
/// transcendental function.
ORTOOL_ISA_KERNEL(RequantizeFunction, requantize_function, baseline, avx2, avx512)

}  // namespace ortool::cpu
