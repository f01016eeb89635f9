// Reads weights of an int8 NCHW convolution back from rows of words, or from plain depthwise ones.
#include "kernels/cpu/conv/int8_nchw/weight_reader.hpp"

#include <algorithm>
#include <bit>

#include "kernels/cpu/conv/int8_nchw/algorithms.hpp"

namespace ortool::cpu {

PackedInt8WeightReader::PackedInt8WeightReader(const ConvSizes& sizes, const std::byte* packed,
                                               Isa isa)
    : sizes_(sizes),
      packed_(reinterpret_cast<const std::int8_t*>(packed)),
      tile_(int8_gemm_functions(isa)),
      is_depthwise_(is_int8_depthwise(sizes)) {}

void PackedInt8WeightReader::read(const WeightRange& range, std::int8_t* out) const {
  if (!is_depthwise_) return read_panel(range, out);
  std::copy_n(packed_ + range.channel * volume(sizes_.kernel) + range.first_tap, range.taps, out);
}

void PackedInt8WeightReader::read_panel(const WeightRange& range, std::int8_t* out) const {
  constexpr std::int64_t word_bytes = 4;
  const Int8Depth depth = byte_depth(sizes_);
  const std::int64_t stored = (depth.members + tile_.group - 1) / tile_.group * tile_.group;
  const std::int64_t element_bytes = word_bytes / tile_.group;
  const std::int64_t group_rows = sizes_.channels_out / sizes_.groups;
  const std::int64_t row = range.channel % group_rows;
  const std::int64_t first = row / tile_.max_rows * tile_.max_rows;
  const std::int64_t width = std::min<std::int64_t>(tile_.max_rows, group_rows - first);
  const std::int8_t* panel =
      packed_ + (range.channel - row + first) * int8_conv_steps(sizes_, tile_) * word_bytes;
  const int group_bits = std::countr_zero(static_cast<std::uint32_t>(tile_.group));
  // Numbers of more bytes than one have the weight in the first.
  const auto weight_at = [&](std::int64_t k) {
    const std::int64_t step = k >> group_bits;
    const std::int64_t word = tile_.pairs_steps
                                  ? step / 2 * 2 * width + 2 * (row - first) + step % 2
                                  : step * width + row - first;
    return panel[word * word_bytes + (k - (step << group_bits)) * element_bytes];
  };
  for (std::int64_t i = range.first_input; i < range.first_input + range.inputs; ++i) {
    for (std::int64_t tap = range.first_tap; tap < range.first_tap + range.taps; ++tap) {
      *out++ = weight_at(depth.has_taps ? tap / depth.members * stored + tap % depth.members
                                        : tap * stored + i);
    }
  }
}

}  // namespace ortool::cpu
