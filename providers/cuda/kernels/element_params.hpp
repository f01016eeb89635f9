// Parameters of elementwise chains: operations, operands and their addressing.
#pragma once

#include <stdint.h>

namespace ortool::cuda {

constexpr int32_t max_axes = 8;

/// Sizes of a loop nest, outermost first.
struct LoopSizes {
  int32_t axes = 0;
  int64_t size[max_axes] = {};
};

/// Where an operand has the element for a result.
enum class AddressMode : int32_t {
  same,     ///< at the same index
  scalar,   ///< at 0
  channel,  ///< at index / inner % period
  strided,  ///< by coordinates
};

/// An operation of an elementwise chain. The chain's value is x, an operand y.
enum class ElementOp : int32_t {
  // Of x, with the numbers a and b.
  identity,
  abs,
  neg,
  exp,
  log,
  sqrt,
  reciprocal,
  ceil,
  floor,
  round,
  sign,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  erf,
  sigmoid,
  softplus,
  softsign,
  relu,
  leaky_relu,
  elu,
  selu,
  celu,
  thresholded_relu,
  hard_sigmoid,
  hard_swish,
  shrink,
  gelu,
  gelu_tanh,
  mish,
  swish,
  logical_not,
  bitwise_not,
  is_nan,
  is_inf,
  clip,
  scale_shift,
  // Of x and y.
  add,
  sub,
  mul,
  div,
  pow,
  min,
  max,
  mod,
  fmod,
  prelu,
  equal,
  less,
  less_or_equal,
  greater,
  greater_or_equal,
  logical_and,
  logical_or,
  logical_xor,
  bitwise_and,
  bitwise_or,
  bitwise_xor,
  shift_left,
  shift_right,
  // Of x and two operands: x selects.
  where,
};

struct ElementStep {
  ElementOp op;
  int32_t operand;         ///< y
  int32_t second_operand;  ///< of `where`
  int32_t is_reversed;     ///< y op x
  double a;
  double b;
};

struct ElementOperand {
  const void* data;
  int32_t type;
  AddressMode addressing;
  int64_t inner;
  int64_t period;
  int64_t strides[max_axes];
};

constexpr int32_t max_operands = 8;
constexpr int32_t max_steps = 12;

/// Operand 0 starts the chain.
struct ElementwiseParams {
  void* output;
  int32_t output_type;
  int32_t step_count;
  int64_t count;
  LoopSizes sizes;
  int32_t operand_count;
  ElementOperand operands[max_operands];
  ElementStep steps[max_steps];
};

}  // namespace ortool::cuda
