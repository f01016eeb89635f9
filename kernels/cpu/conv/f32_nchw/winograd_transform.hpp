// Winograd F(4 × 4, 3 × 3) transforms of NCHW planes, one table per instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/epilogue/epilogue.hpp"
#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// Each tile of 4 × 4 output pixels reads 6 × 6 pixels of each input channel.
constexpr int64_t winograd_edge = 4;
constexpr int64_t winograd_reach = 6;
constexpr int64_t winograd_products = 36;

/// Input transform: adjacent tiles of one row of tiles, of one channel.
struct WinogradInput {
  const float* image;  ///< height × width
  int64_t height;
  int64_t width;
  int64_t row;  ///< of the first tile's first pixel, possibly outside the image
  int64_t column;
  int64_t tiles;
  float* out;  ///< products × tiles; products are `stride` floats apart
  int64_t stride;
  float* scratch;  ///< winograd_scratch_floats(tiles)
};

/// Output transform; writes only pixels inside the image.
struct WinogradOutput {
  const float* in;  ///< products × tiles; products are `stride` floats apart
  int64_t stride;
  int64_t tiles;
  float* out;             ///< the first pixel of the first tile
  int64_t out_stride;     ///< floats between rows of pixels
  int64_t rows;           ///< rows of pixels, at most 4
  int64_t columns;        ///< columns of pixels, at most 4 · tiles
  EpilogueTile epilogue;  ///< the channel's bias; the residual is laid out like out
  float* scratch;
};

/// Scratch size that suffices for either transform.
constexpr int64_t winograd_scratch_floats(int64_t tiles) {
  return 28 * (tiles + 32);
}

struct WinogradFunctions {
  void (*input)(const WinogradInput& input);
  void (*output)(const WinogradOutput& output);
};

ORTOOL_ISA_KERNEL(WinogradFunctions, winograd_functions, baseline, avx2, avx512)

}  // namespace ortool::cpu
