// Resolves rounding ties of dense int8 convolutions, sixteen at a time where vectorized, from the
// packed weights of each layout.
#include <algorithm>

#include "kernels/cpu/conv/int8_nchwc/algorithms.hpp"
#include "kernels/cpu/conv/int8_nchwc/dense_layout.hpp"
#include "kernels/cpu/conv/int8_nchwc/tile_layout.hpp"
#include "kernels/cpu/isa/built_features.hpp"

namespace ortool::cpu {
namespace {

std::uint8_t& byte_of(const NchwcInt8Conv& conv, const PendingTie& tie) {
  const std::int64_t blocks = int8_blocks(conv.sizes.channels_out);
  const std::int64_t at =
      (tie.image * blocks + tie.channel / int8_block) * volume(conv.sizes.out) + tie.pixel;
  return conv.y[at * int8_block + tie.channel % int8_block];
}

/// Sets up the input of one window: the address of each tap, or of padding outside the image.
void place_window(const NchwcInt8Conv& conv, const PendingTie& tie, const TiePixel& pad,
                  std::int64_t lane, TiePixel* pixels) {
  const ConvSizes& sizes = conv.sizes;
  const std::int64_t plane = sizes.in[1] * sizes.in[2] * int8_block;
  const std::uint8_t* image = conv.x + tie.image * int8_blocks(sizes.channels_in) * plane;
  const std::int64_t row = tie.pixel / sizes.out[2] * sizes.stride[1] - sizes.pad[1];
  const std::int64_t column = tie.pixel % sizes.out[2] * sizes.stride[2] - sizes.pad[2];
  for (std::int64_t kh = 0; kh < sizes.kernel[1]; ++kh) {
    const std::int64_t y = row + kh * sizes.dilation[1];
    for (std::int64_t kw = 0; kw < sizes.kernel[2]; ++kw) {
      const std::int64_t x = column + kw * sizes.dilation[2];
      const bool is_inside = y >= 0 && y < sizes.in[1] && x >= 0 && x < sizes.in[2];
      pixels[(kh * sizes.kernel[2] + kw) * tie_lanes + lane] =
          is_inside ? TiePixel{image + (y * sizes.in[2] + x) * int8_block, plane} : pad;
    }
  }
}

/// Output channels whose weights are packed side by side.
constexpr std::int64_t tie_pair_channels = 2 * int8_block;

std::int64_t pair_of(const PendingTie& tie) {
  return tie.channel / tie_pair_channels;
}

/// Sums are faster where the weights of all lanes are side by side.
void order_by_pairs(std::int64_t channels, PendingTie* ties, std::int64_t count) {
  constexpr std::int64_t most_pairs = 64;
  if ((channels - 1) / tie_pair_channels >= most_pairs) return;
  std::int64_t places[most_pairs + 1] = {};
  for (std::int64_t i = 0; i < count; ++i) ++places[pair_of(ties[i]) + 1];
  for (std::int64_t pair = 0; pair < most_pairs; ++pair) places[pair + 1] += places[pair];
  PendingTie ordered[PendingTies::most];
  for (std::int64_t i = 0; i < count; ++i) ordered[places[pair_of(ties[i])]++] = ties[i];
  std::copy_n(ordered, count, ties);
}

/// Of ties in the order of pairs, or in any.
void resolve_lanes(const NchwcInt8Conv& conv, const PendingTie* ties, std::int64_t count) {
  const ConvSizes& sizes = conv.sizes;
  const Int8ConvFloats& floats = *conv.params.floats;
  std::uint8_t pad_bytes[int8_block];
  std::fill_n(pad_bytes, int8_block, conv.fill());
  TiePixel pixels[max_tie_taps * tie_lanes];
  TieLanes lanes = {};
  lanes.pixels = pixels;
  lanes.taps = volume(sizes.kernel);
  lanes.channels = sizes.channels_in;
  lanes.image_flip = conv.desc.image_flip;
  lanes.chunks = conv.weights.chunks();
  lanes.chunk_blocks = conv.weights.chunk_blocks();
  lanes.image_zero = conv.params.image_zero;
  lanes.image_scale = floats.image_scale;
  std::int64_t pair = -1;
  for (std::int64_t lane = 0; lane < tie_lanes; ++lane) {
    const PendingTie& tie = ties[std::min(lane, count - 1)];
    lanes.places[lane] = static_cast<std::int32_t>(tie.channel % tie_pair_channels);
    if (pair_of(tie) != pair) {
      pair = pair_of(tie);
      const std::int64_t first = pair * tie_pair_channels;
      lanes.pairs[lanes.pair_count++] = {conv.weights.place(first),
                                         conv.weights.second_block(first), 0};
    }
    lanes.pairs[lanes.pair_count - 1].lanes |= static_cast<std::uint16_t>(1U << lane);
    place_window(conv, tie, {pad_bytes, 0}, lane, pixels);
    lanes.weight_scales[lane] = floats.weight_scales[tie.channel];
  }
  float sums[tie_lanes];
  (*conv.sum_tie_lanes)(lanes, sums);
  for (std::int64_t lane = 0; lane < count; ++lane)
    byte_of(conv, ties[lane]) = conv.tie_resolver.round(sums[lane], ties[lane].channel);
}

}  // namespace

PackedNchwcWeightReader::PackedNchwcWeightReader(const ConvSizes& sizes, bool from_nchw,
                                                 const std::uint8_t* packed,
                                                 const Int8ConvAlgorithm& algorithm)
    : sizes_(sizes),
      from_nchw_(from_nchw),
      packed_(packed),
      algorithm_(algorithm),
      is_tiled_(is_tiled_int8(sizes, algorithm.isa)),
      functions_(*nchwc_int8_functions(algorithm.isa)),
      chunks_(int8_blocks(sizes.channels_in)) {
  if (!is_tiled_) return;
  const TiledSteps steps(sizes, from_nchw);
  chunks_ = steps.chunks;
  chunk_blocks_ = steps.chunk_units();
}

void PackedNchwcWeightReader::read(const WeightRange& range, std::int8_t* out) const {
  if (has_winograd && algorithm_.is_winograd)
    return read_winograd_int8(sizes_, packed_, range, out);
  if (is_tiled_) return read_tiled_weights(sizes_, from_nchw_, packed_, range, out);
  if (functions_.columns != nullptr) return read_quads(sizes_, from_nchw_, packed_, range, out);
  if (sizes_.groups > 1) {
    const bool is_joined = joined_depthwise(sizes_, algorithm_.isa) != nullptr;
    return read_depthwise(sizes_, is_joined, packed_, range, out);
  }
  read_dense(sizes_, from_nchw_, packed_, functions_, range, out);
}

TieWeights PackedNchwcWeightReader::place(std::int64_t channel) const {
  return is_tiled_ ? tiled_weight_place(sizes_, from_nchw_, packed_, channel)
                   : dense_weight_place(sizes_, from_nchw_, packed_, functions_, channel);
}

std::int64_t PackedNchwcWeightReader::second_block(std::int64_t channel) const {
  const std::int64_t pair = channel / (2 * int8_block) * 2;
  if (pair + 1 >= int8_blocks(sizes_.channels_out)) return 0;
  return place((pair + 1) * int8_block).bytes - place(pair * int8_block).bytes;
}

void PendingTies::resolve(const NchwcInt8Conv& conv, bool from_nchw) {
  // A few lanes cost as much as all sixteen.
  constexpr std::int64_t enough_lanes = 2;
  const bool has_lanes = conv.sum_tie_lanes != nullptr && !from_nchw && conv.sizes.groups == 1 &&
                         volume(conv.sizes.kernel) <= max_tie_taps;
  if (has_lanes && count > 1) order_by_pairs(conv.sizes.channels_out, ties, count);
  for (std::int64_t first = 0; first < count;) {
    const PendingTie* some = ties + first;
    const std::int64_t together = has_lanes ? std::min<std::int64_t>(count - first, tie_lanes) : 1;
    if (together >= enough_lanes) {
      resolve_lanes(conv, some, together);
    } else {
      for (std::int64_t i = 0; i < together; ++i) {
        byte_of(conv, some[i]) =
            conv.tie_resolver.decide(some[i].image, some[i].channel, some[i].pixel);
      }
    }
    first += together;
  }
  count = 0;
}

TieSlots::TieSlots(std::byte* slots, std::int64_t slot_bytes, int count)
    : slots_(slots), slot_bytes_(slot_bytes), count_(count) {
  for (int slot = 0; slot < count_; ++slot) list(slot).count = 0;
}

void TieSlots::resolve(const NchwcInt8Conv& conv, bool from_nchw, Workers& workers) {
  // A few ties are resolved faster on this thread than by waking others.
  constexpr std::int64_t few = 2 * tie_lanes;
  std::int64_t waiting = 0;
  for (int slot = 0; slot < count_; ++slot) waiting += list(slot).count;
  if (waiting > few && count_ > 1) {
    workers.parallel_for(
        count_, [&](std::int64_t slot) { list(static_cast<int>(slot)).resolve(conv, from_nchw); });
  } else if (waiting > 0) {
    for (int slot = 1; slot < count_; ++slot) list(0).take(list(slot));
    list(0).resolve(conv, from_nchw);
  }
}

}  // namespace ortool::cpu
