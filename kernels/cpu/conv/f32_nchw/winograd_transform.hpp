// The transformations of Winograd's convolution F(4 × 4, 3 × 3), one set an instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/gemm/f32/microkernel.hpp"
#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// Output is made in tiles of 4 × 4 pixels, each from 6 × 6 pixels of each input channel.
constexpr int64_t winograd_edge = 4;
constexpr int64_t winograd_reach = 6;
constexpr int64_t winograd_products = 36;

/// Neighbouring tiles of one row of tiles, of one channel.
struct WinogradInput {
  const float* image;  ///< height × width
  int64_t height;
  int64_t width;
  int64_t row;  ///< of the first tile's first pixel, perhaps outside the image
  int64_t column;
  int64_t tiles;
  float* out;  ///< products × tiles, `stride` floats from product to product
  int64_t stride;
  float* scratch;  ///< winograd_scratch_floats(tiles)
};

/// The way back, to pixels inside the image alone.
struct WinogradOutput {
  const float* in;  ///< products × tiles, `stride` floats from product to product
  int64_t stride;
  int64_t tiles;
  float* out;          ///< the first pixel of the first tile
  int64_t out_stride;  ///< from row to row of pixels
  int64_t rows;        ///< of pixels, at most 4
  int64_t columns;     ///< of pixels, at most 4 · tiles
  float bias;
  const float* residual;  ///< null, or as out
  Activation activation;
  float low;
  float high;
  float* scratch;
};

/// Both ways need no more than this.
constexpr int64_t winograd_scratch_floats(int64_t tiles) {
  return 28 * (tiles + 32);
}

struct WinogradFunctions {
  void (*input)(const WinogradInput& input);
  void (*output)(const WinogradOutput& output);
};

ORTOOL_ISA_KERNEL(WinogradFunctions, winograd_functions, baseline, avx2, avx512)

}  // namespace ortool::cpu
