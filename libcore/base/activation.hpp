// What can be done to each result of a convolution or product before it is stored.
#pragma once

#include <stdint.h>

namespace ortool {

/// Applied to each number last. NaN passes through all of them.
enum class Activation : int32_t {
  none,
  relu,
  clip,        ///< to [low, high]
  leaky_relu,  ///< low * x below zero
  hard_swish,  ///< x * max(0, min(1, low * x + high))
  // Functions; not every kernel has them.
  gelu,
  gelu_tanh,
  swish,  ///< x sigmoid(low x)
};

}  // namespace ortool
