// Fused epilogue: the nodes fused into a product, as kernel arguments.
#pragma once

#include <cstddef>

#include "kernels/cpu/epilogue/epilogue.hpp"
#include "libcore/provider/kernel.hpp"
#include "libcore/provider/product_epilogue.hpp"

namespace ortool {

/// The tensor that the fused nodes add, or null.
inline const float* residual_of(const ProductEpilogue& epilogue, const RunContext& context) {
  if (epilogue.residual < 0) return nullptr;
  return context.input<float>(static_cast<std::size_t>(epilogue.residual));
}

/// Sets residual and activation of the fused nodes.
inline void set_residual_and_activation(cpu::Epilogue& epilogue, const ProductEpilogue& nodes,
                                        const RunContext& context) {
  epilogue.residual = residual_of(nodes, context);
  epilogue.activation = nodes.activation;
  epilogue.low = nodes.low;
  epilogue.high = nodes.high;
}

}  // namespace ortool
