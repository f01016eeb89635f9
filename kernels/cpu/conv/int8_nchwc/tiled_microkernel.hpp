// AMX microkernel of int8 NCHW16c convolutions: what one call computes.
#pragma once

#include <stdint.h>

#include "kernels/cpu/conv/int8_nchwc/microkernel.hpp"
#include "kernels/cpu/conv/int8_nchwc/rounding_ties.hpp"
#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// Pixels that one group of tiles computes at once.
constexpr int most_tiled_pixels = 32;
constexpr int tiled_place_unit = 64;

/// Copies pixels of a row, blocks of 16 channels each, so that `pixel_bytes` of a pixel's channels
/// lie together and the next ones `out_stride` on; zeros behind the last block.
struct TiledRowCopy {
  const uint8_t* in;   ///< the first pixel that is read
  int64_t in_stride;   ///< bytes from a block of channels to the next
  int64_t pixel_step;  ///< bytes from a pixel to the next
  int64_t before;      ///< pixels of `fill` alone
  int64_t inside;      ///< pixels that are read
  int64_t behind;      ///< pixels of `fill` alone
  int64_t blocks;
  int64_t pixel_bytes;  ///< 16, 32 or 64
  uint8_t flip;         ///< changes bits of what is read
  uint8_t fill;
  uint8_t* out;
  int64_t out_stride;
};

/// Output pixels computed together: of `most_tiled_pixels` copied ones, those that lie in the
/// result.
struct TiledPixels {
  int64_t start;  ///< the first copied pixel
  int64_t first;  ///< the first pixel of the result
  int32_t count;  ///< of the result's pixels, which lie side by side
  /// Of each: pixels behind `start`, times tiled_place_unit; 0 behind the last.
  uint16_t places[most_tiled_pixels];
};

/// A number of the result near a half.
struct RoundingTie {
  int32_t channel;  ///< from the first of the call on
  int32_t pixel;
};

/// Pixels by one or two blocks of channels.
struct NchwcTiledProduct {
  const uint8_t* pixels;   ///< copied
  const int64_t* offsets;  ///< one a step: bytes from a copied pixel to what the step reads of it
  int64_t steps;
  int32_t pixel_bytes;
  const uint8_t* weights;  ///< steps × vectors × pixel_bytes / 4 × 16 channels × 4
  NchwcInt8Epilogue finish;
  const TiledPixels* groups;
  int64_t group_count;
  uint8_t* out;
  int64_t out_stride;  ///< bytes from a block of channels to the next
  int32_t vectors;     ///< 1 or 2 blocks of channels
  RoundingTie* ties;   ///< room for group_count × most_tiled_pixels × 16 × vectors
};

struct NchwcTiledFunctions {
  void (*copy)(const TiledRowCopy& copy);
  /// A thread multiplies between these two.
  void (*begin)(int32_t pixel_bytes);
  void (*end)();
  /// Returns how many ties there are.
  int64_t (*multiply)(const NchwcTiledProduct& product);
  /// sums[lane] = 0 + x * w + x * w …, each product added in one rounding, with
  /// x = ((byte ^ flip) - zero) * scale.
  void (*sum_lanes)(const TieLanes& lanes, float* sums);
};

ORTOOL_ISA_KERNEL_OR_NULL(NchwcTiledFunctions, nchwc_tiled_functions, amx)

}  // namespace ortool::cpu
