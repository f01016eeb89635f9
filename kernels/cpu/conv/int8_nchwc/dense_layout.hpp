// Layout of the reduction and of packed weights of dense int8 NCHW16c tiles (AVX-512 VNNI, ARMv8).
#pragma once

#include <cstdint>

#include "kernels/cpu/conv/int8_nchwc/algorithms.hpp"

namespace ortool::cpu {

constexpr std::int64_t dense_word_bytes = 4;

/// The reduction as steps of adjacent words of four bytes: a tap and a block of 16 channels, or for
/// NCHW a row of the kernel, whose pixels are interleaved without gaps.
struct DenseLayout {
  std::int64_t steps;
  std::int64_t words;         ///< per step
  std::int64_t weight_bytes;  ///< adjacent ones of a channel

  DenseLayout(const ConvSizes& sizes, bool from_nchw, const NchwcInt8Functions& functions);

  /// Bytes of one block of 16 output channels.
  std::int64_t block_bytes() const { return steps * words * dense_word_bytes * int8_block; }
};

void pack_dense(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* weights,
                std::uint8_t flip, const NchwcInt8Functions& functions, std::uint8_t* out);

void read_dense(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* packed,
                const NchwcInt8Functions& functions, const WeightRange& range, std::int8_t* out);
/// Where the weights of an output channel begin.
TieWeights dense_weight_place(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* packed,
                              const NchwcInt8Functions& functions, std::int64_t channel);

}  // namespace ortool::cpu
