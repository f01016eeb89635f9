// GEMM epilogue outside the microkernel, for edge tiles and skinny products.
#pragma once

#include <cstdint>

#include "kernels/cpu/epilogue/epilogue_at.hpp"
#include "kernels/cpu/gemm/f32/microkernel.hpp"

namespace ortool::cpu {

/// Scales, adds and activates the sums (rows × columns of `tile`, with stride `sums_stride`) and
/// writes them to tile.c. `sums` may be tile.c itself.
void apply_epilogue(const GemmTile& tile, const float* sums, std::int64_t sums_stride);

/// Applies transcendental activations, which apply_epilogue and the microkernel leave out.
inline void apply_activation(const GemmTile& tile, const GemmFunctions& functions) {
  const Epilogue& epilogue = *tile.epilogue;
  if (!is_function(epilogue.activation)) return;
  functions.activate(epilogue.activation, epilogue.low, tile.c, tile.c_stride, tile.rows,
                     tile.columns);
}

/// Runs `tile` with any number of columns on a microkernel that stores whole vectors only.
void run_partial_tile(const GemmTile& tile, const GemmFunctions& functions);

}  // namespace ortool::cpu
