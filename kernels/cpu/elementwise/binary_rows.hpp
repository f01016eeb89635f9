// Binary elementwise row loops, one table per instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/elementwise/binary_op.hpp"
#include "kernels/cpu/isa/isa_kernel.hpp"
#include "kernels/cpu/types/element_type.hpp"

namespace ortool::cpu {

/// `count` elements of a and b; a step of 0 repeats the first. `out` may be an operand whose step
/// is 1.
struct BinaryRow {
  const void* a;
  const void* b;
  int64_t a_step;
  int64_t b_step;
  void* out;
  int64_t count;
};

/// Outcome of a row.
enum class RowResult : int { done, divided_by_zero, no_such_operation };

/// `compare` writes bytes of 0 or 1.
struct BinaryRowFunctions {
  RowResult (*combine)(BinaryOp op, NumberType type, const BinaryRow& row);
  void (*compare)(Comparison comparison, NumberType type, const BinaryRow& row);
};

ORTOOL_ISA_KERNEL(BinaryRowFunctions, binary_row_functions, baseline, avx2, avx512)

}  // namespace ortool::cpu
