// Saturation correction: int8 NCHW16c weights in quads, for processors that add pairs of products
// in 16 bits.
#pragma once

#include <cstdint>

#include "kernels/cpu/conv/f32_nchw/conv.hpp"
#include "kernels/cpu/conv/int8_nchw/weight_reader.hpp"
#include "kernels/cpu/conv/int8_nchwc/microkernel.hpp"

namespace ortool::cpu {

/// A pair of weights cannot saturate if its signs differ or its sum lies within ±128, since 128 *
/// 255 < 2^15. A quad of eight channels with any pair that may saturate is packed with reduced
/// weights, and the remainders follow in a separate list.
class PackedQuads {
 public:
  /// Views the output of pack_quads for the same number of blocks and quads.
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

/// Quads per channel block.
std::int64_t quads_a_block(const ConvSizes& sizes, bool from_nchw);

/// Position of a quad of a dense window.
struct PlacedQuad {
  std::int64_t row;     ///< of the kernel
  std::int64_t column;  ///< the first one if a quad spans several
  std::int64_t block;   ///< channel block
  std::int64_t byte;    ///< offset within the block
};
PlacedQuad placed_quad(const ConvSizes& sizes, bool from_nchw, std::int64_t word);

/// Bytes per pixel of the copy of an NCHW image from which quads are read: one if there is a single
/// channel, so that a quad is four adjacent pixels; otherwise four.
std::int64_t nchw_pixel_bytes(const ConvSizes& sizes);

/// Size of the packed weights in bytes.
std::int64_t packed_quad_bytes(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* weights,
                               std::uint8_t flip);
void pack_quads(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* weights,
                std::uint8_t flip, std::uint8_t* out);
/// Reads weights back, with the remainders of those that were split.
void read_quads(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* packed,
                const WeightRange& range, std::int8_t* out);

}  // namespace ortool::cpu
