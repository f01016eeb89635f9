// MatMul shapes: operands as matrices and batches of them.
#pragma once

#include <vector>

#include "kernels/cpu/gemm/f32/gemm.hpp"
#include "libcore/tensor/shape.hpp"

namespace ortool::cpu {

/// The products that a MatMul of two shapes is. Where b is one matrix they are a single product,
/// with all of a's rows below one another.
struct MatMulShapes {
  GemmSizes sizes;
  std::vector<GemmOffsets> offsets;  ///< one a product, in elements; residual like c
  Shape result;                      ///< of the MatMul itself
  bool is_single = false;
};

/// The shapes must have passed the operator's shape rule.
MatMulShapes match_matmul(const Shape& a, const Shape& b);

}  // namespace ortool::cpu
