// Epilogue of a kernel, from the nodes that follow its product.
#pragma once

#include <cstddef>

#include "kernels/cpu/epilogue/epilogue.hpp"
#include "libcore/provider/kernel.hpp"
#include "libcore/provider/product_epilogue.hpp"

namespace ortool {

/// The tensor that is added, or null.
inline const float* residual_of(const ProductEpilogue& epilogue, const RunContext& context) {
  if (epilogue.residual < 0) return nullptr;
  return context.input<float>(static_cast<std::size_t>(epilogue.residual));
}

/// Lets the kernel's epilogue add the residual of the nodes' and activate as they do.
inline void set_residual_and_activation(cpu::Epilogue& epilogue, const ProductEpilogue& nodes,
                                        const RunContext& context) {
  epilogue.residual = residual_of(nodes, context);
  epilogue.activation = nodes.activation;
  epilogue.low = nodes.low;
  epilogue.high = nodes.high;
}

}  // namespace ortool
