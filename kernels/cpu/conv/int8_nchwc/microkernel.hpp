// Microkernels of int8 NCHW16c convolution: descriptors of one call and the table of functions.
#pragma once

#include <stdint.h>

#include "kernels/cpu/epilogue/epilogue.hpp"
#include "kernels/cpu/isa/isa_kernel.hpp"
#include "kernels/cpu/isa/vbmi_features.hpp"

namespace ortool::cpu {

constexpr int max_tie_words = 6;  ///< masks per vector of a tile
constexpr int nchwc_int8_channels = 16;
/// Bytes past the input of a row's windows that may be loaded.
constexpr int nchwc_int8_slack = 256;

/// Saturation correction: quads of eight channels that are multiplied again with the remainder of
/// their weights, where the processor adds pairs of products in 16 bits.
struct SaturationCorrection {
  const int32_t* words;    ///< indices of the quads
  const uint8_t* weights;  ///< 8 × 4 per quad
  int64_t count;
};

/// The corrections of both halves of a channel block.
struct BlockSaturationCorrection {
  SaturationCorrection low;
  SaturationCorrection high;
};

/// What tiles of pixels by one or two channel blocks share: u8s8 products of image and weights,
/// accumulated over the channels of all input blocks.
struct NchwcInt8Tile {
  /// Byte offset of each step of a window, or of each quad where quads are split.
  const int64_t* offsets;
  int64_t pixel_step;  ///< bytes between the windows of adjacent pixels
  /// steps × words × (16 × vectors) × 4: by words of four bytes of a window (or by pairs of them:
  /// weight_bytes of the functions), then output channels.
  /// Where quads are split: vectors × quads × 16 × 4.
  const uint8_t* weights;
  int64_t steps;
  int64_t words;                       ///< adjacent ones of a step, unless quads are split
  BlockSaturationCorrection again[2];  ///< of each vector, where quads are split
  EpilogueTile epilogue;
  uint8_t* out;        ///< of the first channel block
  int64_t out_stride;  ///< bytes between channel blocks
  int32_t vectors;     ///< 1 or 2 channel blocks
  int32_t channels;    ///< valid ones in both; the rest may hold any values
  bool tells_ties;     ///< whether the caller needs the rounding ties
  /// What to load into the L2 cache meanwhile, such as the next weights, in lines of 64 bytes.
  const uint8_t* prefetch;
  int64_t prefetch_lines;
};

/// The pixels of one tile.
struct NchwcInt8Run {
  const uint8_t* in;  ///< start of the first pixel's window
  int64_t out;        ///< bytes before the first pixel in a channel block of the result
  int32_t pixels;     ///< 1 … max_pixels of the functions
  bool has_ties;      ///< set by the function; only then are the tile's masks
  /// Masks of rounding ties, for each vector and each four pixels: bit 16 * pixel + channel.
  uint64_t ties[2 * max_tie_words];
};

/// Depthwise: pixels of one row of one channel block.
struct NchwcInt8Window {
  const uint8_t* in;           ///< start of the first pixel's window
  const int64_t* tap_offsets;  ///< quads × 4: byte offset of each tap
  int64_t words;               ///< quads of taps; missing taps have zero weights
  int64_t pixel_step;          ///< bytes between the windows of adjacent pixels
  const uint8_t* weights;      ///< quads × 4 × (4 × 4 × 4): by four channels, each four times
  EpilogueTile epilogue;
  uint8_t* out;
  int64_t pixels;
  uint64_t* ties;  ///< as above, one mask per four pixels; all are written
};

struct DepthwiseByRowsFunctions;
struct WinogradInt8Functions;

struct NchwcInt8Functions {
  void (*tiles)(const NchwcInt8Tile& tile, NchwcInt8Run* runs, int64_t count);
  /// Returns whether there are rounding ties. Null if there is `columns`.
  bool (*window)(const NchwcInt8Window& window);
  int32_t max_pixels;  ///< per tile
  /// Adjacent weights of a channel in dense tiles: those of a word, or of a pair of words.
  int64_t weight_bytes = 4;
  /// Most pixels of a tile during which an earlier one is requantized, a multiple of four, and the
  /// words of a window from which on that is faster.
  int32_t shared_pixels;
  int64_t shared_words;
  /// Null: no saturation with any weights. Otherwise quads are split (SaturationCorrection).
  const DepthwiseByRowsFunctions* columns;
  const WinogradInt8Functions* winograd;  ///< null: no Winograd for 3 × 3 kernels
};

ORTOOL_ISA_KERNEL_OR_NULL(NchwcInt8Functions, nchwc_int8_functions, avx2, vnni, vbmi, dotprod, i8mm)

}  // namespace ortool::cpu
