// Which binary functions are built: all. A minimal build has a file of this name with those of its
// operators (cmake/minimal/choose_sources.py).
#pragma once

#include "kernels/cpu/elementwise/binary_op.hpp"

namespace ortool::cpu {

consteval bool is_built(BinaryOp /*op*/) {
  return true;
}

/// The four that order numbers are built together.
consteval bool is_built(Comparison /*comparison*/) {
  return true;
}

}  // namespace ortool::cpu
