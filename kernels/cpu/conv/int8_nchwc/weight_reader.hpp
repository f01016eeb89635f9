// Reads single weights of an int8 NCHW16c convolution back from where they are packed, for rounding
// ties.
#pragma once

#include <cstdint>

#include "kernels/cpu/conv/int8_nchw/weight_reader.hpp"
#include "kernels/cpu/conv/int8_nchwc/conv.hpp"
#include "kernels/cpu/conv/int8_nchwc/rounding_ties.hpp"

namespace ortool::cpu {

/// Of what pack_nchwc_int8_conv packed.
class PackedNchwcWeightReader : public WeightReader {
 public:
  /// `sizes` and `packed` must outlive this object.
  PackedNchwcWeightReader(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* packed,
                          const Int8ConvAlgorithm& algorithm);

  void read(const WeightRange& range, std::int8_t* out) const override;

  /// For dense convolutions of NCHW16c images, of whose packed weights each is there as it is:
  /// where those of an output channel begin.
  TieWeights place(std::int64_t channel) const;
  /// Bytes from there to the weights of the channel 16 places further, where the two are packed
  /// together; 0: it is the last block of channels.
  std::int64_t second_block(std::int64_t channel) const;
  /// Steps a tap.
  std::int64_t chunks() const { return chunks_; }
  /// Blocks of 16 input channels a step.
  std::int64_t chunk_blocks() const { return chunk_blocks_; }

 private:
  const ConvSizes& sizes_;
  bool from_nchw_;
  const std::uint8_t* packed_;
  Int8ConvAlgorithm algorithm_;
  bool is_tiled_;
  const NchwcInt8Functions& functions_;
  std::int64_t chunks_;
  std::int64_t chunk_blocks_ = 1;
};

/// Reads weights each of which is at the sum of a place of its input channel and one of its tap.
template <typename InputPlace, typename TapPlace>
void read_places(const WeightRange& range, const std::uint8_t* weights, const InputPlace& of_input,
                 const TapPlace& of_tap, std::int8_t* out) {
  for (std::int64_t input = range.first_input; input < range.first_input + range.inputs; ++input) {
    const std::uint8_t* const from = weights + of_input(input);
    for (std::int64_t tap = range.first_tap; tap < range.first_tap + range.taps; ++tap)
      *out++ = static_cast<std::int8_t>(from[of_tap(tap)]);
  }
}

}  // namespace ortool::cpu
