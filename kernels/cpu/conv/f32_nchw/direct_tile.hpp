// Direct convolution of NCHW images: the sums of one tile of pixels, one kernel per instruction
// set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/epilogue/epilogue.hpp"
#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

constexpr int64_t direct_tile_blocks = 8;
constexpr int64_t max_direct_channels = 4;

/// Output channels of eight blocks of pixels. A block is one vector of pixels of a row; blocks may
/// lie anywhere in the image.
struct DirectTile {
  /// The first pixel of a block's first window, in the first input channel. All that the windows of
  /// a whole vector read is there, even if fewer pixels are stored.
  const float* in[size_t{direct_tile_blocks}];
  float* out[size_t{direct_tile_blocks}];       ///< in the first output channel
  int64_t columns[size_t{direct_tile_blocks}];  ///< pixels stored; 0: nothing
  const int64_t* offsets;                       ///< of a window's positions from its first one
  int64_t positions;
  int64_t channels_in;
  int64_t in_channel_stride;
  int64_t out_channel_stride;
  int64_t channels;       ///< output channels, at most max_direct_channels
  const float* weights;   ///< channels_in × positions × channels; three floats more are read
  EpilogueTile epilogue;  ///< the residual is that of out[0], laid out like out
};

struct DirectFunctions {
  int64_t block;  ///< pixels
  /// Adds products in the order of input channels and positions, fused where the instruction set
  /// has FMA, as the other algorithms do.
  void (*run)(const DirectTile& tile);
};

ORTOOL_ISA_KERNEL(DirectFunctions, direct_functions, baseline, avx2, avx512)

}  // namespace ortool::cpu
