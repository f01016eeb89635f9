// Window sizes and a reference activation, for tests of convolutions, pools and products.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "libcore/base/activation.hpp"

namespace ortool::cpu::test {

inline std::int64_t product(const std::int64_t (&dims)[3]) {
  return dims[0] * dims[1] * dims[2];
}

/// Applies an epilogue's activation to a sum, in double.
template <typename Epilogue>
double activated(double x, const Epilogue& epilogue) {
  const double low = epilogue.low;
  const double high = epilogue.high;
  switch (epilogue.activation) {
    case Activation::relu:
      return std::max(x, 0.0);
    case Activation::clip:
      return std::min(std::max(x, low), high);
    case Activation::leaky_relu:
      return x < 0 ? x * low : x;
    case Activation::hard_swish:
      return x * std::max(0.0, std::min(1.0, x * low + high));
    case Activation::gelu:
      return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
    case Activation::gelu_tanh:
      return 0.5 * x * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
    case Activation::swish:
      return x / (1 + std::exp(-low * x));
    default:
      return x;
  }
}

}  // namespace ortool::cpu::test
