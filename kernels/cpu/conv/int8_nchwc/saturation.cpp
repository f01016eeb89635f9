// Saturation correction: packs int8 weights in quads and splits those that could saturate.
#include "kernels/cpu/conv/int8_nchwc/saturation.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/cpu/conv/int8_nchwc/algorithms.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t pair_bytes = 2;
constexpr std::int64_t four_bytes = 4;
constexpr std::int64_t stored_word = int8_block * four_bytes;

constexpr std::int64_t half_word = stored_word / 2;
constexpr std::int64_t halves = 2;

std::int64_t padded_begins(std::int64_t blocks) {
  return ((blocks * halves + 1) * static_cast<std::int64_t>(sizeof(std::int64_t)) + 63) / 64 * 64;
}

/// Weights of one quad of sixteen channels; `first` plus `rest` equals the original weights.
struct SplitQuad {
  std::uint8_t first[stored_word] = {};
  std::uint8_t rest[stored_word] = {};
  bool has_rest[halves] = {};

  void split() {
    constexpr int most = 128;
    for (std::int64_t i = 0; i < stored_word; i += pair_bytes) {
      const int a = static_cast<std::int8_t>(first[i]);
      const int b = static_cast<std::int8_t>(first[i + 1]);
      const int over = a + b - std::clamp(a + b, -most, most);
      if (over == 0) continue;
      first[i + 1] = static_cast<std::uint8_t>(b - over);
      rest[i + 1] = static_cast<std::uint8_t>(over);
      has_rest[i / half_word] = true;
    }
  }
};

std::int64_t quads_of(const ConvSizes& sizes) {
  return (sizes.channels_in + four_bytes - 1) / four_bytes;
}

std::int64_t column_groups(const ConvSizes& sizes) {
  return (sizes.kernel[2] + four_bytes - 1) / four_bytes;
}

/// Origin of element `byte` of a quad. For depthwise, quads are four rows of one kernel column.
TapSource source_of_word(const ConvSizes& sizes, bool from_nchw, std::int64_t word,
                         std::int64_t byte) {
  if (sizes.groups == 1) {
    if (!from_nchw) {
      const std::int64_t quads = quads_of(sizes);
      return {word % quads * four_bytes + byte, word / quads};
    }
    if (nchw_pixel_bytes(sizes) == four_bytes) return {byte, word};
    const std::int64_t groups = column_groups(sizes);
    const std::int64_t column = word % groups * four_bytes + byte;
    return {0, column < sizes.kernel[2] ? word / groups * sizes.kernel[2] + column
                                        : volume(sizes.kernel)};
  }
  const std::int64_t row = word / sizes.kernel[2] * four_bytes + byte;
  return {0, row < sizes.kernel[1] ? row * sizes.kernel[2] + word % sizes.kernel[2]
                                   : volume(sizes.kernel)};
}

/// Calls `visit(block, word, split word)` for all quads.
template <typename Visit>
void for_words(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* weights,
               std::uint8_t flip, Visit visit) {
  const std::int64_t positions = volume(sizes.kernel);
  const std::int64_t channels_in = sizes.channels_in / sizes.groups;
  const std::int64_t words = quads_a_block(sizes, from_nchw);
  for (std::int64_t block = 0; block < int8_blocks(sizes.channels_out); ++block) {
    const std::int64_t channels = std::min(int8_block, sizes.channels_out - block * int8_block);
    for (std::int64_t word = 0; word < words; ++word) {
      SplitQuad split;
      for (std::int64_t byte = 0; byte < four_bytes; ++byte) {
        const TapSource source = source_of_word(sizes, from_nchw, word, byte);
        if (source.channel >= channels_in || source.position >= positions) continue;
        const std::uint8_t* from = weights +
                                   (block * int8_block * channels_in + source.channel) * positions +
                                   source.position;
        for (std::int64_t i = 0; i < channels; ++i, from += channels_in * positions)
          split.first[i * four_bytes + byte] = static_cast<std::uint8_t>(*from ^ flip);
      }
      split.split();
      visit(block, word, split);
    }
  }
}

}  // namespace

PackedQuads::PackedQuads(const std::uint8_t* packed, std::int64_t blocks, std::int64_t words)
    : begins_(reinterpret_cast<const std::int64_t*>(packed)),
      weights_(packed + padded_begins(blocks)),
      again_weights_(weights_ + blocks * words * stored_word),
      again_words_(reinterpret_cast<const std::int32_t*>(again_weights_ +
                                                         begins_[blocks * halves] * half_word)),
      words_(words) {}

const std::uint8_t* PackedQuads::weights(std::int64_t block) const {
  return weights_ + block * words_ * stored_word;
}

SaturationCorrection PackedQuads::half(std::int64_t index) const {
  const std::int64_t begin = begins_[index];
  return {again_words_ + begin, again_weights_ + begin * half_word, begins_[index + 1] - begin};
}

BlockSaturationCorrection PackedQuads::again(std::int64_t block) const {
  return {half(block * halves), half(block * halves + 1)};
}

std::int64_t quads_a_block(const ConvSizes& sizes, bool from_nchw) {
  if (sizes.groups == 1) {
    if (!from_nchw) return volume(sizes.kernel) * quads_of(sizes);
    return nchw_pixel_bytes(sizes) == four_bytes ? volume(sizes.kernel)
                                                 : sizes.kernel[1] * column_groups(sizes);
  }
  return (sizes.kernel[1] + four_bytes - 1) / four_bytes * sizes.kernel[2];
}

std::int64_t nchw_pixel_bytes(const ConvSizes& sizes) {
  return sizes.channels_in == 1 ? 1 : four_bytes;
}

PlacedQuad placed_quad(const ConvSizes& sizes, bool from_nchw, std::int64_t word) {
  if (!from_nchw) {
    const std::int64_t quad = word % quads_of(sizes);
    const std::int64_t tap = word / quads_of(sizes);
    return {tap / sizes.kernel[2], tap % sizes.kernel[2], quad / 4, quad % 4 * four_bytes};
  }
  if (nchw_pixel_bytes(sizes) == four_bytes)
    return {word / sizes.kernel[2], word % sizes.kernel[2], 0, 0};
  return {word / column_groups(sizes), word % column_groups(sizes) * four_bytes, 0, 0};
}

std::int64_t packed_quad_bytes(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* weights,
                               std::uint8_t flip) {
  constexpr std::int64_t number_bytes = sizeof(std::int32_t);
  const std::int64_t blocks = int8_blocks(sizes.channels_out);
  std::int64_t again = 0;
  for_words(sizes, from_nchw, weights, flip,
            [&](std::int64_t, std::int64_t, const SplitQuad& split) {
              again += (split.has_rest[0] ? 1 : 0) + (split.has_rest[1] ? 1 : 0);
            });
  return padded_begins(blocks) + blocks * quads_a_block(sizes, from_nchw) * stored_word +
         again * (half_word + number_bytes);
}

void pack_quads(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* weights,
                std::uint8_t flip, std::uint8_t* out) {
  const std::int64_t blocks = int8_blocks(sizes.channels_out);
  const std::int64_t words = quads_a_block(sizes, from_nchw);
  auto* begins = reinterpret_cast<std::int64_t*>(out);
  begins[0] = 0;
  std::uint8_t* to = out + padded_begins(blocks);
  std::uint8_t* again = to + blocks * words * stored_word;
  std::vector<std::int32_t> params;
  std::vector<SplitQuad> block_words(static_cast<std::size_t>(words));
  for_words(sizes, from_nchw, weights, flip,
            [&](std::int64_t block, std::int64_t word, const SplitQuad& split) {
              std::memcpy(to, split.first, stored_word);
              to += stored_word;
              block_words[static_cast<std::size_t>(word)] = split;
              if (word + 1 < words) return;
              for (std::int64_t half = 0; half < halves; ++half) {
                for (std::int64_t i = 0; i < words; ++i) {
                  const SplitQuad& one = block_words[static_cast<std::size_t>(i)];
                  if (!one.has_rest[half]) continue;
                  std::memcpy(again, one.rest + half * half_word, half_word);
                  again += half_word;
                  params.push_back(static_cast<std::int32_t>(i));
                }
                begins[block * halves + half + 1] = static_cast<std::int64_t>(params.size());
              }
            });
  std::copy(params.begin(), params.end(), reinterpret_cast<std::int32_t*>(again));
}

void read_quads(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* packed,
                const WeightRange& range, std::int8_t* out) {
  const PackedQuads quads(packed, int8_blocks(sizes.channels_out), quads_a_block(sizes, from_nchw));
  constexpr std::int64_t half_channels = int8_block / halves;
  const std::int64_t block = range.channel / int8_block;
  const std::int64_t lane = range.channel % int8_block;
  const std::uint8_t* weights = quads.weights(block) + lane * four_bytes;
  const BlockSaturationCorrection both = quads.again(block);
  const SaturationCorrection& again = lane < half_channels ? both.low : both.high;
  const std::uint8_t* rests = again.weights + lane % half_channels * four_bytes;
  const std::int32_t* const end = again.words + again.count;
  const auto add_rests = [&](std::int64_t first, std::int64_t end_word, const auto& add) {
    for (const std::int32_t* next = std::lower_bound(again.words, end, first);
         next < end && *next < end_word; ++next)
      add(*next - first, rests + (next - again.words) * half_word);
  };
  const bool has_own_channels = sizes.groups > 1;
  for (std::int64_t tap = 0; tap < range.taps; ++tap) {
    const std::int64_t position = range.first_tap + tap;
    std::int8_t* to = out + tap;
    if (has_own_channels || (from_nchw && nchw_pixel_bytes(sizes) == 1)) {
      const std::int64_t row = position / sizes.kernel[2];
      const std::int64_t column = position - row * sizes.kernel[2];
      const std::int64_t word = has_own_channels ? row / four_bytes * sizes.kernel[2] + column
                                                 : row * column_groups(sizes) + column / four_bytes;
      const std::int64_t byte = (has_own_channels ? row : column) % four_bytes;
      int weight = static_cast<std::int8_t>(weights[word * stored_word + byte]);
      add_rests(word, word + 1, [&](std::int64_t, const std::uint8_t* rest) {
        weight += static_cast<std::int8_t>(rest[byte]);
      });
      *to = static_cast<std::int8_t>(weight);
      continue;
    }
    const std::int64_t first_word = position * quads_of(sizes);
    const std::uint8_t* from = weights + first_word * stored_word;
    for (std::int64_t i = 0; i < range.inputs; ++i) {
      const std::int64_t input = range.first_input + i;
      to[i * range.taps] =
          static_cast<std::int8_t>(from[input / four_bytes * stored_word + input % four_bytes]);
    }
    const std::int64_t first_quad = range.first_input / four_bytes;
    const std::int64_t end_quad = (range.first_input + range.inputs + 3) / four_bytes;
    add_rests(first_word + first_quad, first_word + end_quad,
              [&](std::int64_t quad, const std::uint8_t* rest) {
                for (std::int64_t byte = 0; byte < four_bytes; ++byte) {
                  const std::int64_t i =
                      (first_quad + quad) * four_bytes + byte - range.first_input;
                  if (i < 0 || i >= range.inputs) continue;
                  std::int8_t& weight = to[i * range.taps];
                  weight = static_cast<std::int8_t>(weight + static_cast<std::int8_t>(rest[byte]));
                }
              });
  }
}

}  // namespace ortool::cpu
