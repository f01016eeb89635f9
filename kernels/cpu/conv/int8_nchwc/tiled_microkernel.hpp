// AMX microkernel of int8 NCHW16c convolution: descriptors of one call and the table of functions.
#pragma once

#include <stdint.h>

#include "kernels/cpu/conv/int8_nchwc/microkernel.hpp"
#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// Pixels computed at once by one group of tiles.
constexpr int max_tiled_pixels = 32;
constexpr int tiled_place_unit = 64;

/// Copies pixels of a row from blocks of 16 channels, so that `pixel_bytes` of a pixel's channels
/// are contiguous and the next chunk is `out_stride` further; zero-filled past the last block.
struct TiledRowCopy {
  const uint8_t* in;   ///< first pixel to read
  int64_t in_stride;   ///< bytes between channel blocks
  int64_t pixel_step;  ///< bytes between pixels
  int64_t before;      ///< leading padding pixels, set to `fill`
  int64_t inside;      ///< pixels to read
  int64_t behind;      ///< trailing padding pixels, set to `fill`
  int64_t blocks;
  int64_t pixel_bytes;  ///< 16, 32 or 64
  uint8_t flip;         ///< XOR mask for the values read
  uint8_t fill;
  uint8_t* out;
  int64_t out_stride;
};

/// Output pixels computed together: of `max_tiled_pixels` copied positions, those that correspond
/// to an output pixel.
struct TiledPixels {
  int64_t start;  ///< first copied pixel
  int64_t first;  ///< first output pixel
  int32_t count;  ///< number of output pixels, which are adjacent
  /// Position of each relative to `start`, times tiled_place_unit; 0 past the last.
  uint16_t places[max_tiled_pixels];
};

/// An output value at a rounding tie.
struct RoundingTie {
  int32_t channel;  ///< relative to the first of the call
  int32_t pixel;
};

/// A product of pixels by one or two channel blocks.
struct NchwcTiledProduct {
  const uint8_t* pixels;   ///< copied
  const int64_t* offsets;  ///< per step: bytes from a copied pixel to the input of the step
  int64_t steps;
  int32_t pixel_bytes;
  const uint8_t* weights;  ///< steps × vectors × pixel_bytes / 4 × 16 channels × 4
  EpilogueTile epilogue;
  const TiledPixels* groups;
  int64_t group_count;
  uint8_t* out;
  int64_t out_stride;  ///< bytes between channel blocks
  int32_t vectors;     ///< 1 or 2 channel blocks
  RoundingTie* ties;   ///< room for group_count × max_tiled_pixels × 16 × vectors
};

struct NchwcTiledFunctions {
  void (*copy)(const TiledRowCopy& copy);
  /// Configures and releases the tiles; a thread must multiply between these two calls.
  void (*begin)(int32_t pixel_bytes);
  void (*end)();
  /// Returns the number of rounding ties.
  int64_t (*multiply)(const NchwcTiledProduct& product);
};

ORTOOL_ISA_KERNEL_OR_NULL(NchwcTiledFunctions, nchwc_tiled_functions, amx)

}  // namespace ortool::cpu
