// Resolves rounding ties of dense int8 convolutions, sixteen at a time where there are functions.
#include <algorithm>

#include "kernels/cpu/conv/int8_nchwc/algorithms.hpp"

namespace ortool::cpu {
namespace {

std::uint8_t& byte_of(const BlockedByteConv& conv, const WaitingDoubt& doubt) {
  const std::int64_t blocks = byte_blocks(conv.sizes.channels_out);
  const std::int64_t at =
      (doubt.image * blocks + doubt.channel / byte_block) * volume(conv.sizes.out) + doubt.pixel;
  return conv.y[at * byte_block + doubt.channel % byte_block];
}

/// What one window reads: where its taps lie, those outside of the image as pads.
void place_window(const BlockedByteConv& conv, const WaitingDoubt& doubt, const SettledPixel& pad,
                  std::int64_t lane, SettledPixel* pixels) {
  const ConvSizes& sizes = conv.sizes;
  const std::int64_t plane = sizes.in[1] * sizes.in[2] * byte_block;
  const std::uint8_t* image = conv.x + doubt.image * byte_blocks(sizes.channels_in) * plane;
  const std::int64_t row = doubt.pixel / sizes.out[2] * sizes.stride[1] - sizes.pad[1];
  const std::int64_t column = doubt.pixel % sizes.out[2] * sizes.stride[2] - sizes.pad[2];
  for (std::int64_t kh = 0; kh < sizes.kernel[1]; ++kh) {
    const std::int64_t y = row + kh * sizes.dilation[1];
    for (std::int64_t kw = 0; kw < sizes.kernel[2]; ++kw) {
      const std::int64_t x = column + kw * sizes.dilation[2];
      const bool is_inside = y >= 0 && y < sizes.in[1] && x >= 0 && x < sizes.in[2];
      pixels[(kh * sizes.kernel[2] + kw) * settled_lanes + lane] =
          is_inside ? SettledPixel{image + (y * sizes.in[2] + x) * byte_block, plane} : pad;
    }
  }
}

void settle_lanes(const BlockedByteConv& conv, const TiledByteFunctions& functions,
                  const WaitingDoubt* doubts, std::int64_t count) {
  const ConvSizes& sizes = conv.sizes;
  const ByteConvFloats& floats = *conv.numbers.floats;
  std::uint8_t pad_bytes[byte_block];
  std::fill_n(pad_bytes, byte_block, conv.fill());
  SettledPixel pixels[most_settled_taps * settled_lanes];
  SettledLanes lanes = {};
  lanes.pixels = pixels;
  lanes.taps = volume(sizes.kernel);
  lanes.channels = sizes.channels_in;
  lanes.image_flip = conv.form.image_flip;
  lanes.weight_flip = conv.form.weight_flip;
  lanes.image_zero = conv.numbers.image_zero;
  lanes.image_scale = floats.image_scale;
  for (std::int64_t lane = 0; lane < settled_lanes; ++lane) {
    const WaitingDoubt& doubt = doubts[std::min(lane, count - 1)];
    place_window(conv, doubt, {pad_bytes, 0}, lane, pixels);
    lanes.weights[lane] = floats.weights + doubt.channel * lanes.channels * lanes.taps;
    lanes.weight_scales[lane] = floats.weight_scales[doubt.channel];
  }
  float sums[settled_lanes];
  functions.sum_lanes(lanes, sums);
  for (std::int64_t lane = 0; lane < count; ++lane)
    byte_of(conv, doubts[lane]) = conv.settler.round(sums[lane], doubts[lane].channel);
}

}  // namespace

void settle_waiting(const BlockedByteConv& conv, const TiledByteFunctions& functions,
                    bool from_plain, const WaitingDoubt* doubts, std::int64_t count) {
  // Few lanes take as long as all.
  constexpr std::int64_t enough_lanes = 3;
  const bool has_lanes = !from_plain && volume(conv.sizes.kernel) <= most_settled_taps;
  while (count > 0) {
    const std::int64_t together = has_lanes ? std::min<std::int64_t>(count, settled_lanes) : 1;
    if (together >= enough_lanes) {
      settle_lanes(conv, functions, doubts, together);
    } else {
      for (std::int64_t i = 0; i < together; ++i) {
        byte_of(conv, doubts[i]) =
            conv.settler.decide(doubts[i].image, doubts[i].channel, doubts[i].pixel);
      }
    }
    doubts += together;
    count -= together;
  }
}

}  // namespace ortool::cpu
