// Packing of weights for dense int8 NCHW16c tiles.
#include "kernels/cpu/conv/int8_nchwc/dense_layout.hpp"

#include <algorithm>
#include <bit>

namespace ortool::cpu {
namespace {

/// Origin of byte `byte` of step `step`.
TapSource source_of(const ConvSizes& sizes, bool from_nchw, std::int64_t step, std::int64_t byte) {
  if (!from_nchw) return dense_tap_source(sizes, false, step, byte);
  const std::int64_t column = byte / sizes.channels_in;
  return {byte % sizes.channels_in,
          column < sizes.kernel[2] ? step * sizes.kernel[2] + column : volume(sizes.kernel)};
}

}  // namespace

DenseLayout::DenseLayout(const ConvSizes& sizes, bool from_nchw,
                         const NchwcInt8Functions& functions)
    : steps(from_nchw ? sizes.kernel[1] : dense_steps(sizes, false)),
      weight_bytes(functions.weight_bytes) {
  const std::int64_t bytes = from_nchw ? sizes.kernel[2] * sizes.channels_in : int8_block;
  words = (bytes + weight_bytes - 1) / weight_bytes * (weight_bytes / dense_word_bytes);
}

void pack_dense(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* weights,
                std::uint8_t flip, const NchwcInt8Functions& functions, std::uint8_t* out) {
  const DenseLayout layout(sizes, from_nchw, functions);
  const std::int64_t positions = volume(sizes.kernel);
  const std::int64_t blocks = int8_blocks(sizes.channels_out);
  for (std::int64_t pair = 0; pair < blocks; pair += 2) {
    const std::int64_t channels = std::min<std::int64_t>(2, blocks - pair) * int8_block;
    for (std::int64_t step = 0; step < layout.steps; ++step) {
      for (std::int64_t byte = 0; byte < layout.words * dense_word_bytes; ++byte) {
        const TapSource source = source_of(sizes, from_nchw, step, byte);
        const bool is_there = source.channel < sizes.channels_in && source.position < positions;
        for (std::int64_t i = 0; i < channels; ++i) {
          const std::int64_t channel = pair * int8_block + i;
          const std::int64_t from =
              (channel * sizes.channels_in + source.channel) * positions + source.position;
          out[(byte / layout.weight_bytes * channels + i) * layout.weight_bytes +
              byte % layout.weight_bytes] = is_there && channel < sizes.channels_out
                                                ? static_cast<std::uint8_t>(weights[from] ^ flip)
                                                : std::uint8_t{0};
        }
      }
      out += channels * layout.words * dense_word_bytes;
    }
  }
}

TieWeights dense_weight_place(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* packed,
                              const NchwcInt8Functions& functions, std::int64_t channel) {
  const DenseLayout layout(sizes, from_nchw, functions);
  const std::int64_t pair = channel / (2 * int8_block) * 2;
  const std::int64_t channels =
      std::min<std::int64_t>(2, int8_blocks(sizes.channels_out) - pair) * int8_block;
  return {
      packed + pair * layout.block_bytes() + (channel - pair * int8_block) * layout.weight_bytes,
      channels * layout.words * dense_word_bytes, channels * layout.weight_bytes};
}

void read_dense(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* packed,
                const NchwcInt8Functions& functions, const WeightRange& range, std::int8_t* out) {
  const TieWeights weights = dense_weight_place(sizes, from_nchw, packed, functions, range.channel);
  const int word_bits = std::countr_zero(static_cast<std::uint64_t>(functions.weight_bytes));
  const auto place = [&](std::int64_t byte) {
    const std::int64_t word = byte >> word_bits;
    return word * weights.word_step + byte - (word << word_bits);
  };
  if (from_nchw) {
    for (std::int64_t tap = 0; tap < range.taps; ++tap) {
      const std::int64_t row = (range.first_tap + tap) / sizes.kernel[2];
      const std::int64_t column = range.first_tap + tap - row * sizes.kernel[2];
      for (std::int64_t i = 0; i < range.inputs; ++i) {
        out[i * range.taps + tap] = static_cast<std::int8_t>(
            weights.bytes[row * weights.step +
                          place(column * sizes.channels_in + range.first_input + i)]);
      }
    }
    return;
  }
  const std::int64_t tap_step = int8_blocks(sizes.channels_in) * weights.step;
  read_places(
      range, weights.bytes,
      [&](std::int64_t input) {
        return input / int8_block * weights.step + place(input % int8_block);
      },
      [&](std::int64_t tap) { return tap * tap_step; }, out);
}

}  // namespace ortool::cpu
