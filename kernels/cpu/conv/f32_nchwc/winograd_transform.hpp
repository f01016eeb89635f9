// Winograd F(4 × 4, 3 × 3) input and output transforms of NCHWc tensors, one table per instruction
// set; each lane is a channel.
#pragma once

#include <stdint.h>

#include "kernels/cpu/conv/f32_nchw/winograd_transform.hpp"
#include "kernels/cpu/conv/f32_nchwc/microkernel.hpp"
#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// Input transform: adjacent tiles of one row of tiles, of one channel block.
struct NchwcWinogradInput {
  const float* plane;  ///< height × width pixels
  int64_t height;
  int64_t width;
  int64_t row;  ///< of the first tile's first pixel, possibly outside the image
  int64_t column;
  int64_t tiles;
  float* out;            ///< one vector per tile
  int64_t product_step;  ///< floats between the 36 products
};

/// Output transform; writes only pixels inside the image.
struct NchwcWinogradOutput {
  const float* in;  ///< one vector per tile
  int64_t product_step;
  int64_t tiles;
  float* y;               ///< the first pixel of the first tile
  int64_t row_step;       ///< floats between rows of pixels
  int64_t rows;           ///< rows of pixels, at most 4
  int64_t columns;        ///< columns of pixels, at most 4 · tiles
  EpilogueTile epilogue;  ///< one vector of biases; the residual at the first pixel
};

struct NchwcWinogradFunctions {
  void (*input)(const NchwcWinogradInput& input);
  void (*output)(const NchwcWinogradOutput& output);
};

ORTOOL_ISA_KERNEL(NchwcWinogradFunctions, nchwc_winograd_functions, neon, avx2, avx512)

}  // namespace ortool::cpu
