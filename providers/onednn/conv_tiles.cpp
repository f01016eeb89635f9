// Convolution partition: pieces are ranges of output channels; each reads the whole image, and no
// sum is split between pieces.
#include "providers/onednn/conv_tiles.hpp"

#include <algorithm>

namespace ortool::onednn {
namespace {

/// Above this many channels per group, oneDNN has only slow code for images in plain layout.
constexpr std::int64_t max_plane_channels = 3;
/// Multiplications per piece: about 20 microseconds. Depthwise channels are computed at a fraction
/// of the speed.
constexpr std::int64_t tile_work = 2'000'000;
constexpr std::int64_t depthwise_tile_work = 500'000;
/// Floats to reorder to blocked layout at once.
constexpr std::int64_t input_tile_floats = 32 * 1024;

std::int64_t round_up(std::int64_t count, std::int64_t step) {
  return (count + step - 1) / step * step;
}

std::int64_t divide_up(std::int64_t count, std::int64_t divisor) {
  return (count + divisor - 1) / divisor;
}

/// Number of channels whose work justifies a task.
std::int64_t tile_channels(const ConvShape& shape, std::int64_t block) {
  const std::int64_t pixels = shape.is_transposed ? shape.in_pixels() : shape.out_pixels();
  const std::int64_t work =
      std::max<std::int64_t>(shape.group_in() * shape.kernel_points() * pixels, 1);
  if (shape.is_depthwise()) return round_up(divide_up(depthwise_tile_work, work), block);
  return round_up(divide_up(tile_work, work), 2 * block);
}

/// Pads a request's number of channels as its layout requires.
std::int64_t in_format_count(std::int64_t channels, ImageFormat image_format, std::int64_t block) {
  return image_format == ImageFormat::blocks ? round_up(channels, block) : channels;
}

ConvRequest make_request(const ConvShape& shape, const ConvFormat& image_format,
                         std::int64_t out_count, bool has_bias) {
  ConvRequest request;
  request.is_transposed = shape.is_transposed ? 1 : 0;
  request.in_format = image_format.in;
  request.out_format = image_format.out;
  request.block = image_format.block;
  request.has_bias = has_bias ? 1 : 0;
  request.channels_out = in_format_count(out_count, image_format.out, image_format.block);
  if (shape.is_depthwise()) {
    request.channels_in = request.channels_out;
    request.groups = request.channels_out;
  } else {
    request.channels_in = in_format_count(shape.group_in(), image_format.in, image_format.block);
  }
  request.axes = shape.axes;
  for (std::size_t i = 0; i < 3; ++i) {
    request.in[i] = shape.sizes.in[i];
    request.out[i] = shape.sizes.out[i];
    request.kernel[i] = shape.sizes.kernel[i];
    request.stride[i] = shape.sizes.stride[i];
    request.dilation[i] = shape.sizes.dilation[i];
    request.pad[i] = shape.sizes.pad[i];
  }
  return request;
}

/// Adds the input pieces of each group, at their offsets in the blocked image.
void add_input_tiles(const ConvShape& shape, const ConvFormat& image_format, std::int64_t groups,
                     std::int64_t channels, ConvPartition& partition) {
  const std::int64_t pixels = shape.in_pixels();
  const std::int64_t step =
      round_up(divide_up(input_tile_floats, std::max<std::int64_t>(pixels, 1)), image_format.block);
  const std::int64_t group_floats = round_up(channels, image_format.block) * pixels;
  for (std::int64_t group = 0; group < groups; ++group) {
    for (std::int64_t first = 0; first < channels; first += step) {
      partition.input_tiles.push_back({group * channels + first, std::min(step, channels - first),
                                       group * group_floats + first * pixels});
    }
  }
  partition.in_floats = groups * group_floats;
}

}  // namespace

std::optional<ConvFormat> choose_conv_format(const ConvShape& shape, std::int64_t block,
                                             BlockedOperands blocked, PrimitiveCache& cache) {
  const std::int64_t channels = tile_channels(shape, block);
  std::vector<ConvFormat> formats;
  if (!blocked.in && !shape.is_depthwise() && shape.group_in() <= max_plane_channels)
    formats.push_back({ImageFormat::planes, ImageFormat::blocks, block, channels});
  formats.push_back({ImageFormat::blocks, ImageFormat::blocks, block, channels});
  if (!blocked.in && !blocked.out)
    formats.push_back({ImageFormat::planes, ImageFormat::planes, block, channels});
  for (const ConvFormat& image_format : formats) {
    const ConvPartition partition = partition_conv(shape, image_format, true);
    bool is_fast = true;
    for (std::size_t kind = 0; kind < 2 && is_fast; ++kind) {
      if (!partition.has_kind(kind)) continue;
      const PrimitivePtr primitive = cache.conv(partition.requests[kind]);
      is_fast = primitive != nullptr && !primitive->is_reference();
    }
    if (is_fast) return image_format;
  }
  return std::nullopt;
}

ConvPartition partition_conv(const ConvShape& shape, const ConvFormat& image_format,
                             bool has_bias) {
  ConvPartition partition;
  const bool is_depthwise = shape.is_depthwise();
  const std::int64_t groups = is_depthwise ? 1 : shape.sizes.groups;
  const std::int64_t group_in = shape.sizes.channels_in / groups;
  const std::int64_t group_out = shape.sizes.channels_out / groups;
  if (image_format.in == ImageFormat::blocks)
    add_input_tiles(shape, image_format, groups, group_in, partition);
  for (std::int64_t group = 0; group < groups; ++group) {
    for (std::int64_t first = 0; first < group_out; first += image_format.tile_channels) {
      ConvTile output_tile;
      output_tile.in_first = group * group_in + (is_depthwise ? first : 0);
      output_tile.in_offset = group *
                                  in_format_count(group_in, image_format.in, image_format.block) *
                                  shape.in_pixels() +
                              (is_depthwise ? first * shape.in_pixels() : 0);
      output_tile.out_first = group * group_out + first;
      output_tile.out_count = std::min(image_format.tile_channels, group_out - first);
      output_tile.kind = output_tile.out_count < image_format.tile_channels ? 1 : 0;
      output_tile.bias_offset = partition.bias_floats;
      partition.bias_floats +=
          in_format_count(output_tile.out_count, image_format.out, image_format.block);
      partition.out_counts[output_tile.kind] = output_tile.out_count;
      partition.output_tiles.push_back(output_tile);
    }
  }
  for (std::size_t kind = 0; kind < 2; ++kind) {
    if (partition.has_kind(kind))
      partition.requests[kind] =
          make_request(shape, image_format, partition.out_counts[kind], has_bias);
  }
  return partition;
}

}  // namespace ortool::onednn
