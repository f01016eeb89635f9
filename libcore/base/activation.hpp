// Activation functions that kernels fuse into the epilogue of a convolution or matrix product.
#pragma once

#include <stdint.h>

namespace ortool {

/// Applied to each element as the last step of the epilogue. All of them propagate NaN.
enum class Activation : int32_t {
  none,
  relu,
  clip,        ///< clamps to [low, high]
  leaky_relu,  ///< low * x below zero
  hard_swish,  ///< x * max(0, min(1, low * x + high))
  // Further functions, which only some kernels implement.
  gelu,
  gelu_tanh,
  swish,  ///< x sigmoid(low x)
};

}  // namespace ortool
