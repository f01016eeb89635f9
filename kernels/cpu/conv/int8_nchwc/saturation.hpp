// Saturation correction: weights of int8 NCHW16c convolutions in quads, for processors that add up
// pairs of products in 16 bits.
#pragma once

#include <cstdint>

#include "kernels/cpu/conv/f32_nchw/conv.hpp"
#include "kernels/cpu/conv/int8_nchwc/microkernel.hpp"

namespace ortool::cpu {

/// A pair of weights is sure to fit where both are of different signs or their sum lies within
/// 128, since 128 * 255 < 2^15. A word of eight channels of which any pair may not fit is packed
/// with less, and what is missing once more in a list behind.
class PackedQuads {
 public:
  /// Of what pack_quads wrote for as many blocks and words.
  PackedQuads(const std::uint8_t* packed, std::int64_t blocks, std::int64_t words);

  const std::uint8_t* weights(std::int64_t block) const;
  BlockSaturationCorrection again(std::int64_t block) const;

 private:
  SaturationCorrection half(std::int64_t index) const;

  const std::int64_t* begins_;
  const std::uint8_t* weights_;
  const std::uint8_t* again_weights_;
  const std::int32_t* again_words_;
  std::int64_t words_;
};

/// Words of a block of channels.
std::int64_t quads_a_block(const ConvSizes& sizes, bool from_nchw);

/// Where a word of a dense window lies.
struct PlacedQuad {
  std::int64_t row;     ///< of the window
  std::int64_t column;  ///< the first one, where a word is of several
  std::int64_t block;   ///< of channels
  std::int64_t byte;    ///< of the block
};
PlacedQuad placed_quad(const ConvSizes& sizes, bool from_nchw, std::int64_t word);

/// Bytes of a pixel of the copy of a plain image that words are read from: one where there is one
/// channel, so that a word is of four neighbours, else four.
std::int64_t nchw_pixel_bytes(const ConvSizes& sizes);

/// Bytes of the packed weights.
std::int64_t packed_quad_bytes(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* weights,
                               std::uint8_t flip);
void pack_quads(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* weights,
                std::uint8_t flip, std::uint8_t* out);

}  // namespace ortool::cpu
