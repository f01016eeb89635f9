// Which kernels that only some models need are built: all. A minimal build has a file of this name
// without those that its list of operators does not need (cmake/minimal/choose_sources.py).
#pragma once

#include "kernels/cpu/isa/unary_op.hpp"

namespace ortool::cpu {

/// Winograd's algorithm for convolutions with 3 × 3 kernels.
constexpr bool has_winograd = true;
/// Tensors, operands and weights in float16 and bfloat16.
constexpr bool has_16_bit_floats = true;

/// Register tiles of each size; otherwise of some, of which the others are put together.
constexpr bool has_all_tiles = true;

/// Unary functions as vector loops.
consteval bool is_built(UnaryOp /*op*/) {
  return true;
}

}  // namespace ortool::cpu
