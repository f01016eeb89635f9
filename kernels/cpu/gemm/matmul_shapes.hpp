// MatMul shapes: maps operands to matrices and batches of them.
#pragma once

#include <vector>

#include "kernels/cpu/gemm/f32/gemm.hpp"
#include "libcore/tensor/shape.hpp"

namespace ortool::cpu {

/// The products that a MatMul of two shapes consists of. If b is a single matrix, they are merged
/// into a single product with all of a's rows.
struct MatMulShapes {
  GemmSizes sizes;
  std::vector<GemmOffsets> offsets;  ///< one per product, in elements; residual like c
  Shape result;                      ///< of the MatMul itself
  bool is_single = false;
};

/// The shapes must have passed the operator's shape rule.
MatMulShapes match_matmul(const Shape& a, const Shape& b);

}  // namespace ortool::cpu
