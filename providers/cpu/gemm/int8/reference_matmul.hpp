// Reference QLinearMatMul: plain loops for element types without a kernel of their own.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/cpu/gemm/matmul_shapes.hpp"
#include "libcore/provider/kernel.hpp"

namespace ortool::cpu {

/// Scales or zero points of an operand: one, or one per row or column, counted over all matrices.
struct ParamList {
  DataType type = DataType::undefined;
  std::int64_t count = 0;
};

/// y = (sum of (a - zero) * (b - zero)) * (a scale * b scale / y scale) + y zero, with sums in
/// double. Integers are rounded ties to even before the zero point is added, and saturate, as
/// float8 does. `lists` describes QLinearMatMul's inputs, in order.
void multiply_numbers(const std::array<ParamList, 8>& lists, const MatMulShapes& shapes,
                      const RunContext& run);

}  // namespace ortool::cpu
