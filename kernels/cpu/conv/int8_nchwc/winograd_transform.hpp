// Winograd F(4 × 4, 3 × 3) of int8 NCHW16c, its steps in whole numbers: each lane is a channel.
#pragma once

#include <stdint.h>

#include "kernels/cpu/conv/int8_nchwc/microkernel.hpp"
#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

constexpr int64_t winograd_int8_edge = 4;   ///< pixels of a tile's result, a side
constexpr int64_t winograd_int8_reach = 6;  ///< pixels that it reads
constexpr int64_t winograd_int8_products = 36;
/// Results times 9 * 64 are summed up modulo 2^32; of 64 times a sum all bits must be there.
constexpr int64_t winograd_int8_most_sum = int64_t{1} << 25U;

/// Neighbouring tiles of one row of tiles, of one block of channels.
struct WinogradInt8Input {
  const uint8_t* plane;  ///< height × width pixels
  int64_t height;
  int64_t width;
  int64_t row;  ///< of the first tile's first pixel, perhaps outside the image
  int64_t column;
  int64_t tiles;
  uint8_t flip;
  uint8_t fill;          ///< what lies outside the image, before the flip
  int16_t* out;          ///< 16 numbers a tile
  int64_t product_step;  ///< numbers from one of the 36 products to the next
};

/// One of the 36 products, of all tiles and one block of channels.
struct WinogradInt8Product {
  const int16_t* values;  ///< 16 numbers a tile
  int64_t plane_step;     ///< numbers from one block of channels of the input to the next
  int64_t planes;
  int64_t tiles;
  const int16_t* weights;  ///< planes × 8 × 16 × 2: by two channels of the input
  int32_t* sums;           ///< 16 a tile
};

/// The way back, to bytes of pixels inside the image alone.
struct WinogradInt8Output {
  const int32_t* sums;   ///< 16 a tile
  int64_t product_step;  ///< sums from product to product
  int64_t tiles;
  uint8_t* y;        ///< the first pixel of the first tile
  int64_t row_step;  ///< bytes from row to row of pixels
  int64_t rows;      ///< of pixels, at most 4
  int64_t columns;   ///< of pixels, at most 4 · tiles
  NchwcInt8Epilogue finish;
  uint64_t* ties;  ///< tiles × 4: a word for each row of a tile; all are written
};

struct WinogradInt8Functions {
  void (*input)(const WinogradInt8Input& input);
  void (*product)(const WinogradInt8Product& product);
  bool (*output)(const WinogradInt8Output& output);  ///< whether any number lies near a half
};

ORTOOL_ISA_FUNCTIONS((avx2), extern const WinogradInt8Functions winograd_int8_functions;)

}  // namespace ortool::cpu
