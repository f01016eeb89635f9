// QLinearMatMul in plain loops, for element types that have no kernel of their own.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/cpu/gemm/matmul_shapes.hpp"
#include "libcore/provider/kernel.hpp"

namespace ortool::cpu {

/// Numbers of one operand: one for all, or one for each row or column, counted over all matrices.
struct NumberList {
  DataType type = DataType::undefined;
  std::int64_t count = 0;
};

/// y = (sum of (a - zero) * (b - zero)) * (a scale * b scale / y scale) + y zero, sums in double;
/// integers are rounded half to even before the zero point and saturate, as float8 does. `lists`
/// describes QLinearMatMul's inputs, in order.
void multiply_numbers(const std::array<NumberList, 8>& lists, const MatMulShapes& shapes,
                      const RunContext& run);

}  // namespace ortool::cpu
