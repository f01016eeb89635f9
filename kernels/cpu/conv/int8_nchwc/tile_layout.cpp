// Layout of AMX tiles: copies the pixels of images and packs weights in the matching order.
#include "kernels/cpu/conv/int8_nchwc/tile_layout.hpp"

namespace ortool::cpu {

TiledSteps::TiledSteps(const ConvSizes& sizes, bool from_nchw)
    : units(from_nchw ? dense_steps(sizes, true) : int8_blocks(sizes.channels_in)) {
  constexpr std::int64_t max_units = 4;
  chunks = (units + max_units - 1) / max_units;
  pixel_bytes = int8_block * (units <= 2 ? units : max_units);
  if (from_nchw) return;
  taps = volume(sizes.kernel);
  for (int axis = 0; axis < 2; ++axis) {
    const std::int64_t last = (sizes.kernel[axis + 1] - 1) * sizes.dilation[axis + 1];
    parts[axis] = std::min(sizes.stride[axis + 1], last + 1);
    reach[axis] = last / sizes.stride[axis + 1];
  }
}

std::int64_t TiledRows::cut(std::int64_t first, std::int64_t end, std::int64_t origin,
                            TiledPixels* groups) const {
  std::int64_t column = first % columns_;
  std::int64_t place = copied(first) - origin;  // of the next pixel
  TiledPixels* group = groups;
  for (std::int64_t pixel = first; pixel < end; ++group) {
    group->start = place;
    group->first = pixel;
    std::int64_t count = 0;
    while (pixel < end && place - group->start < max_tiled_pixels) {
      // Up to the end of the row or of the group.
      const std::int64_t run =
          std::min({columns_ - column, end - pixel, max_tiled_pixels - (place - group->start)});
      for (std::int64_t i = 0; i < run; ++i) {
        group->places[count++] =
            static_cast<std::uint16_t>((place - group->start + i) * tiled_place_unit);
      }
      pixel += run;
      place += run;
      column += run;
      if (column == columns_) {
        column = 0;
        place += width_ - columns_;
      }
    }
    group->count = static_cast<std::int32_t>(count);
    std::fill(group->places + count, group->places + max_tiled_pixels, std::uint16_t{0});
  }
  return group - groups;
}

std::int64_t tiled_step_offset(const ConvSizes& sizes, const TiledSteps& steps,
                               const TiledRows& rows, std::int64_t plane_bytes, std::int64_t step) {
  const std::int64_t tap = step / steps.chunks;
  const std::int64_t down = tap / sizes.kernel[2] * sizes.dilation[1];
  const std::int64_t across = tap % sizes.kernel[2] * sizes.dilation[2];
  const std::int64_t part = down % sizes.stride[1] * steps.parts[1] + across % sizes.stride[2];
  const std::int64_t pixel = down / sizes.stride[1] * rows.width() + across / sizes.stride[2];
  return (part * steps.chunks + step % steps.chunks) * plane_bytes + pixel * steps.pixel_bytes;
}

std::int64_t tiled_plane_pixels(std::int64_t span) {
  // An odd multiple of 32: a plane ends in the other half of a 4 KiB page than it begins in.
  return (span + max_tiled_pixels + 31) / 64 * 64 + 33;
}

std::int64_t packed_tiled_weight_bytes(const ConvSizes& sizes, bool from_nchw) {
  const TiledSteps steps(sizes, from_nchw);
  return int8_blocks(sizes.channels_out) * steps.count() * steps.pixel_bytes * int8_block;
}

void pack_tiled_weights(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* weights,
                        std::uint8_t flip, std::uint8_t* out) {
  const TiledSteps steps(sizes, from_nchw);
  const std::int64_t blocks = int8_blocks(sizes.channels_out);
  const std::int64_t positions = volume(sizes.kernel);
  const auto weight = [&](std::int64_t channel, const TapSource& source) {
    if (channel >= sizes.channels_out || source.channel >= sizes.channels_in ||
        source.position >= positions)
      return std::uint8_t{0};
    const std::int64_t at =
        (channel * sizes.channels_in + source.channel) * positions + source.position;
    return static_cast<std::uint8_t>(weights[at] ^ flip);
  };
  const TapSource nothing = {sizes.channels_in, positions};
  for (std::int64_t pair = 0; pair < blocks; pair += 2) {
    for (std::int64_t step = 0; step < steps.count(); ++step) {
      for (std::int64_t block = pair; block < std::min(pair + 2, blocks); ++block) {
        for (std::int64_t byte = 0; byte < steps.pixel_bytes; ++byte) {
          const std::int64_t unit = step % steps.chunks * steps.chunk_units() + byte / int8_block;
          const TapSource source =
              unit < steps.units
                  ? dense_tap_source(sizes, from_nchw, step / steps.chunks * steps.units + unit,
                                     byte % int8_block)
                  : nothing;
          for (std::int64_t i = 0; i < int8_block; ++i)
            out[(byte / 4 * int8_block + i) * 4 + byte % 4] =
                weight(block * int8_block + i, source);
        }
        out += steps.pixel_bytes * int8_block;
      }
    }
  }
}

TieWeights tiled_weight_place(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* packed,
                              std::int64_t channel) {
  constexpr std::int64_t word_bytes = 4;
  const TiledSteps steps(sizes, from_nchw);
  const std::int64_t block_bytes = steps.pixel_bytes * int8_block;
  const std::int64_t block = channel / int8_block;
  const std::int64_t pair = block / 2 * 2;
  const std::int64_t blocks = std::min<std::int64_t>(2, int8_blocks(sizes.channels_out) - pair);
  return {packed + pair * steps.count() * block_bytes + (block - pair) * block_bytes +
              channel % int8_block * word_bytes,
          blocks * block_bytes, int8_block * word_bytes};
}

void read_tiled_weights(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* packed,
                        const WeightRange& range, std::int8_t* out) {
  const TiledSteps steps(sizes, from_nchw);
  const TieWeights weights = tiled_weight_place(sizes, from_nchw, packed, range.channel);
  // Of the unit of 16 bytes with this number, and a byte of it.
  const auto place = [&](std::int64_t unit, std::int64_t byte) {
    return unit / steps.chunk_units() * weights.step +
           (unit % steps.chunk_units() * 4 + byte / 4) * weights.word_step + byte % 4;
  };
  if (from_nchw) {
    const std::int64_t row_units = (sizes.kernel[2] + 3) / 4;
    for (std::int64_t tap = 0; tap < range.taps; ++tap) {
      const std::int64_t row = (range.first_tap + tap) / sizes.kernel[2];
      const std::int64_t column = range.first_tap + tap - row * sizes.kernel[2];
      const std::uint8_t* from =
          weights.bytes + place(row * row_units + column / 4, column % 4 * 4);
      for (std::int64_t i = 0; i < range.inputs; ++i)
        out[i * range.taps + tap] = static_cast<std::int8_t>(from[range.first_input + i]);
    }
    return;
  }
  read_places(
      range, weights.bytes,
      [&](std::int64_t input) { return place(input / int8_block, input % int8_block); },
      [&](std::int64_t tap) { return tap * steps.chunks * weights.step; }, out);
}

}  // namespace ortool::cpu
