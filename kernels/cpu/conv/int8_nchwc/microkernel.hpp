// Microkernels of int8 NCHW16c convolutions, a few pixels at a time: what one call computes.
#pragma once

#include <stdint.h>

#include "kernels/cpu/epilogue/quantize_rows.hpp"
#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

constexpr int most_tie_words = 6;  ///< of a tile, a vector
constexpr int nchwc_int8_channels = 16;
/// Bytes behind what the windows of a row read that may be loaded as well.
constexpr int nchwc_int8_slack = 256;

/// What makes bytes of sums: y = clamp(nearest(float(sum + offset) * scale)) + zero point, halves
/// to even.
struct NchwcInt8Epilogue {
  const int32_t* offsets;  ///< one a channel, of whole blocks
  const float* scales;     ///< the same
  Int8Range range;
};

/// Words that are taken once more for eight channels, with the rest of their weights: sums of pairs
/// of products must fit 16 bits where a processor adds them there.
struct SaturationCorrection {
  const int32_t* words;    ///< numbers of the words
  const uint8_t* weights;  ///< 8 × 4 a word
  int64_t count;
};

/// Those of the two halves of a block of channels.
struct BlockSaturationCorrection {
  SaturationCorrection low;
  SaturationCorrection high;
};

/// Some pixels of one or two blocks of channels: products of unsigned bytes of the image by signed
/// weights over the channels of all blocks of the input.
struct NchwcInt8Tile {
  const uint8_t* in;  ///< where the first pixel's window begins
  /// One a block of 16 bytes of a window, or a word where words are split: bytes from there to it.
  const int64_t* offsets;
  int64_t pixel_step;  ///< bytes from a pixel's window to the next
  /// blocks × 4 × (16 × vectors) × 4: by four bytes, then channels. Where words are split: vectors
  /// × words × 16 × 4.
  const uint8_t* weights;
  int64_t steps;                       ///< blocks or words
  BlockSaturationCorrection again[2];  ///< of each vector, where words are split
  NchwcInt8Epilogue finish;
  uint8_t* out;
  int64_t out_stride;  ///< bytes from a block of channels to the next
  int32_t pixels;      ///< 1 … most_pixels of the functions
  int32_t vectors;     ///< 1 or 2 blocks of channels
  int32_t channels;    ///< of both that are there; the rest may be anything
  /// For each vector, then four pixels: bit 16 * pixel + channel of a number near a half. Twelve
  /// words; those of the tile's pixels are written when the function returns true.
  uint64_t* ties;
};

/// Pixels of one row of one block of channels, each channel by itself.
struct NchwcInt8Window {
  const uint8_t* in;           ///< where the first pixel's window begins
  const int64_t* tap_offsets;  ///< words × 4: bytes from there to each tap
  int64_t words;               ///< of four taps each; weights of taps that are not there are zero
  int64_t pixel_step;          ///< bytes from a pixel's window to the next
  const uint8_t* weights;      ///< words × 4 × (4 × 4 × 4): by four channels, each four times
  NchwcInt8Epilogue finish;
  uint8_t* out;
  int64_t pixels;
  uint64_t* ties;  ///< as above, a word for each four pixels; all are written
};

struct DepthwiseByRowsFunctions;
struct WinogradInt8Functions;

/// Both return whether any number lies near a half.
struct NchwcInt8Functions {
  bool (*tile)(const NchwcInt8Tile& tile);
  bool (*window)(const NchwcInt8Window& window);  ///< null where there are `columns`
  int32_t most_pixels;                            ///< of a tile
  /// Null: any weights can be summed up. Else words are split (SaturationCorrection).
  const DepthwiseByRowsFunctions* columns;
  const WinogradInt8Functions* winograd;  ///< null: 3 × 3 windows are summed up as they are
};

ORTOOL_ISA_KERNEL_OR_NULL(NchwcInt8Functions, nchwc_int8_functions, avx2, vnni)

}  // namespace ortool::cpu
