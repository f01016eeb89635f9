// Depthwise int8 NCHW16c microkernel on quads of four rows, for split weights.
#pragma once

#include <stdint.h>

#include "kernels/cpu/conv/int8_nchwc/microkernel.hpp"
#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// Four rows of pixels of one channel block, to be transposed into quads of vertical neighbors.
struct RowTranspose {
  const uint8_t* rows[4];
  int64_t pixels;
  uint8_t flip;
  uint8_t* out;  ///< pixels × 16 × 4
};

/// Output pixels of one row of one channel block, computed from such quads.
struct RowConvolution {
  const uint8_t* in;       ///< start of the first pixel's window
  const int64_t* offsets;  ///< byte offset of each quad of a window
  int64_t words;
  int64_t pixel_step;      ///< bytes between the windows of adjacent pixels
  const uint8_t* weights;  ///< quads × 16 × 4
  BlockSaturationCorrection again;
  EpilogueTile epilogue;
  uint8_t* out;
  int64_t pixels;
  int64_t channels;  ///< valid channels; the rest may hold any values
  uint64_t* ties;    ///< one mask per four pixels; all are written
};

struct DepthwiseByRowsFunctions {
  void (*turn)(const RowTranspose& turn);
  bool (*run)(const RowConvolution& row);  ///< returns whether there are rounding ties
};

ORTOOL_ISA_FUNCTIONS((avx2), extern const DepthwiseByRowsFunctions depthwise_by_rows_functions;)

}  // namespace ortool::cpu
