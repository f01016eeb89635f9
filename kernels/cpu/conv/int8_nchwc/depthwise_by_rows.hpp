// Depthwise int8 NCHW16c convolution where quads of four rows are split: what one call computes.
#pragma once

#include <stdint.h>

#include "kernels/cpu/conv/int8_nchwc/microkernel.hpp"
#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// Rows of pixels of one block of channels, to be turned into words of four pixels that lie above
/// each other.
struct RowTranspose {
  const uint8_t* rows[4];
  int64_t pixels;
  uint8_t flip;
  uint8_t* out;  ///< pixels × 16 × 4
};

/// Pixels of one row of one block of channels, each channel by itself, from such words.
struct RowConvolution {
  const uint8_t* in;       ///< where the first pixel's window begins
  const int64_t* offsets;  ///< one a word of a window: bytes from there to it
  int64_t words;
  int64_t pixel_step;      ///< bytes from a pixel's window to the next
  const uint8_t* weights;  ///< words × 16 × 4
  BlockSaturationCorrection again;
  NchwcInt8Epilogue finish;
  uint8_t* out;
  int64_t pixels;
  int64_t channels;  ///< that are there; the rest may be anything
  uint64_t* ties;    ///< a word for each four pixels; all are written
};

struct DepthwiseByRowsFunctions {
  void (*turn)(const RowTranspose& turn);
  bool (*run)(const RowConvolution& row);  ///< returns whether any number lies near a half
};

ORTOOL_ISA_FUNCTIONS((avx2), extern const DepthwiseByRowsFunctions depthwise_by_rows_functions;)

}  // namespace ortool::cpu
