// Names of the binary functions.
#pragma once

namespace ortool::cpu {

enum class BinaryOp : int {
  add,
  subtract,
  multiply,
  divide,     ///< integers: toward zero; by zero is an error; lowest / -1 wraps to lowest
  modulo,     ///< sign of the divisor; integer division by zero is an error
  remainder,  ///< C's fmod and %: sign of the dividend; integer division by zero is an error
  minimum,    ///< NaN if either operand is NaN
  maximum,
  prelu,        ///< a < 0 ? a b : a
  bit_and,      ///< integers only, and booleans as uint8
  bit_or,       ///< "
  bit_xor,      ///< "
  shift_left,   ///< integers only; a shift by the width or more, or below 0, gives 0
  shift_right,  ///< the same; arithmetic for signed types
};

enum class Comparison : int { equal, less, greater, less_or_equal, greater_or_equal };

}  // namespace ortool::cpu
