// Fused epilogue: the nodes fused into a product, as kernel arguments.
#pragma once

#include <cstddef>

#include "libcore/provider/kernel.hpp"
#include "libcore/provider/product_epilogue.hpp"

namespace ortool {

/// The tensor that the fused nodes add, or null.
inline const float* residual_of(const ProductFollowers& followers, const RunContext& context) {
  if (followers.residual < 0) return nullptr;
  return context.input<float>(static_cast<std::size_t>(followers.residual));
}

/// Sets residual and activation of the fused nodes, for `Epilogue` or `ConvEpilogue`.
template <typename KernelEpilogue>
void follow(KernelEpilogue& epilogue, const ProductFollowers& followers,
            const RunContext& context) {
  epilogue.residual = residual_of(followers, context);
  epilogue.activation = followers.activation;
  epilogue.low = followers.low;
  epilogue.high = followers.high;
}

}  // namespace ortool
