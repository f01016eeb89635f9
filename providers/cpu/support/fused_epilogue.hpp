// The epilogue of a kernel from the nodes that follow its product.
#pragma once

#include <cstddef>

#include "kernels/cpu/epilogue/epilogue.hpp"
#include "libcore/provider/kernel.hpp"
#include "libcore/provider/product_epilogue.hpp"

namespace ortool {

/// The tensor that the fused nodes add, or null.
inline const float* residual_of(const ProductFollowers& followers, const RunContext& context) {
  if (followers.residual < 0) return nullptr;
  return context.input<float>(static_cast<std::size_t>(followers.residual));
}

/// Lets `epilogue` add the followers' residual and activate as they do.
inline void follow(cpu::Epilogue& epilogue, const ProductFollowers& followers,
                   const RunContext& context) {
  epilogue.residual = residual_of(followers, context);
  epilogue.activation = followers.activation;
  epilogue.low = followers.low;
  epilogue.high = followers.high;
}

}  // namespace ortool
