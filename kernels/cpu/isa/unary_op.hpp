// Names of the unary functions.
#pragma once

#include <stdint.h>

namespace ortool::cpu {

/// alpha and beta are the two parameters of a call.
enum class UnaryOp : int {
  relu,
  leaky_relu,  ///< x < 0 ? alpha x : x
  clip,        ///< min(max(x, alpha), beta)
  exp,
  log,
  sqrt,
  reciprocal,
  negate,
  absolute,
  floor,
  ceil,
  round,  ///< ties to even
  sigmoid,
  tanh,
  erf,
  sign,
  hard_sigmoid,      ///< min(max(alpha x + beta, 0), 1)
  hard_swish,        ///< x min(max(x / 6 + 1/2, 0), 1)
  elu,               ///< x < 0 ? alpha (e^x - 1) : x
  selu,              ///< beta (x <= 0 ? alpha (e^x - 1) : x)
  celu,              ///< x < 0 ? alpha (e^(x / alpha) - 1) : x
  thresholded_relu,  ///< x > alpha ? x : 0
  shrink,            ///< x < -alpha ? x + beta : x > alpha ? x - beta : 0
  softplus,
  softsign,
  gelu,       ///< x/2 (1 + erf(x / √2))
  gelu_tanh,  ///< x/2 (1 + tanh(√(2/π) (x + 0.044715 x³)))
  mish,
  swish,            ///< x sigmoid(alpha x)
  affine,           ///< alpha x + beta
  scaled_tanh,      ///< alpha tanh(beta x)
  scaled_softplus,  ///< alpha ln(1 + e^(beta x))
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  asinh,
  acosh,
  atanh,
};

struct UnaryParameters {
  double alpha = 0;
  double beta = 0;
};

}  // namespace ortool::cpu
