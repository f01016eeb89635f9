// Winograd F(4 × 4, 3 × 3) of int8 NCHW16c in integers: transforms and products by channel lanes.
#pragma once

#include <stdint.h>

#include "kernels/cpu/conv/int8_nchwc/microkernel.hpp"
#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

constexpr int64_t winograd_int8_edge = 4;   ///< output pixels per tile side
constexpr int64_t winograd_int8_reach = 6;  ///< input pixels per tile side
constexpr int64_t winograd_int8_products = 36;
/// Results are accumulated times 9 * 64 modulo 2^32; 64 times a sum must be representable.
constexpr int64_t winograd_int8_most_sum = int64_t{1} << 25U;

/// Input transform: adjacent tiles of one row of tiles, of one channel block.
struct WinogradInt8Input {
  const uint8_t* plane;  ///< height × width pixels
  int64_t height;
  int64_t width;
  int64_t row;  ///< of the first tile's first pixel, possibly outside the image
  int64_t column;
  int64_t tiles;
  uint8_t flip;
  uint8_t fill;          ///< padding value, before the flip
  int16_t* out;          ///< 16 values per tile
  int64_t product_step;  ///< elements between the 36 products
};

/// One of the 36 products, for all tiles and one output-channel block.
struct WinogradInt8Product {
  const int16_t* values;  ///< 16 values per tile
  int64_t plane_step;     ///< elements between input-channel blocks
  int64_t planes;
  int64_t tiles;
  const int16_t* weights;  ///< planes × 8 × 16 × 2: by pairs of input channels
  int32_t* sums;           ///< 16 per tile
};

/// Output transform and requantization; writes only pixels inside the image.
struct WinogradInt8Output {
  const int32_t* sums;   ///< 16 per tile
  int64_t product_step;  ///< sums between products
  int64_t tiles;
  uint8_t* y;        ///< the first pixel of the first tile
  int64_t row_step;  ///< bytes between rows of pixels
  int64_t rows;      ///< rows of pixels, at most 4
  int64_t columns;   ///< columns of pixels, at most 4 · tiles
  EpilogueTile epilogue;
  uint64_t* ties;  ///< tiles × 4: one mask per row of a tile; all are written
};

struct WinogradInt8Functions {
  void (*input)(const WinogradInt8Input& input);
  void (*product)(const WinogradInt8Product& product);
  bool (*output)(const WinogradInt8Output& output);  ///< whether there are rounding ties
};

ORTOOL_ISA_FUNCTIONS((avx2), extern const WinogradInt8Functions winograd_int8_functions;)

}  // namespace ortool::cpu
