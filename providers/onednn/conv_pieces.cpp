// Convolution partition: pieces are ranges of output channels; each reads the whole image, and no
// sum is split between pieces.
#include "providers/onednn/conv_pieces.hpp"

#include <algorithm>

namespace ortool::onednn {
namespace {

/// Above this many channels per group, oneDNN has only slow code for images in plain layout.
constexpr std::int64_t most_plane_channels = 3;
/// Multiplications per piece: about 20 microseconds. Depthwise channels are computed at a fraction
/// of the speed.
constexpr std::int64_t piece_work = 2'000'000;
constexpr std::int64_t depthwise_piece_work = 500'000;
/// Floats to reorder to blocked layout at once.
constexpr std::int64_t input_piece_floats = 32 * 1024;

std::int64_t round_up(std::int64_t count, std::int64_t step) {
  return (count + step - 1) / step * step;
}

std::int64_t divide_up(std::int64_t count, std::int64_t divisor) {
  return (count + divisor - 1) / divisor;
}

/// Number of channels whose work justifies a task.
std::int64_t piece_channels(const ConvShape& shape, std::int64_t block) {
  const std::int64_t pixels = shape.is_transposed ? shape.in_pixels() : shape.out_pixels();
  const std::int64_t work =
      std::max<std::int64_t>(shape.group_in() * shape.kernel_points() * pixels, 1);
  if (shape.is_depthwise()) return round_up(divide_up(depthwise_piece_work, work), block);
  return round_up(divide_up(piece_work, work), 2 * block);
}

/// Pads a request's number of channels as its layout requires.
std::int64_t in_form_count(std::int64_t channels, ImageForm form, std::int64_t block) {
  return form == ImageForm::blocks ? round_up(channels, block) : channels;
}

ConvRequest make_request(const ConvShape& shape, const ConvForm& form, std::int64_t out_count,
                         bool has_bias) {
  ConvRequest request;
  request.is_transposed = shape.is_transposed ? 1 : 0;
  request.in_form = form.in;
  request.out_form = form.out;
  request.block = form.block;
  request.has_bias = has_bias ? 1 : 0;
  request.channels_out = in_form_count(out_count, form.out, form.block);
  if (shape.is_depthwise()) {
    request.channels_in = request.channels_out;
    request.groups = request.channels_out;
  } else {
    request.channels_in = in_form_count(shape.group_in(), form.in, form.block);
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
void add_input_pieces(const ConvShape& shape, const ConvForm& form, std::int64_t groups,
                      std::int64_t channels, ConvCut& cut) {
  const std::int64_t pixels = shape.in_pixels();
  const std::int64_t step =
      round_up(divide_up(input_piece_floats, std::max<std::int64_t>(pixels, 1)), form.block);
  const std::int64_t group_floats = round_up(channels, form.block) * pixels;
  for (std::int64_t group = 0; group < groups; ++group) {
    for (std::int64_t first = 0; first < channels; first += step) {
      cut.input_pieces.push_back({group * channels + first, std::min(step, channels - first),
                                  group * group_floats + first * pixels});
    }
  }
  cut.in_floats = groups * group_floats;
}

}  // namespace

std::optional<ConvForm> choose_conv_form(const ConvShape& shape, std::int64_t block,
                                         BlockedOperands blocked, PrimitiveCache& cache) {
  const std::int64_t channels = piece_channels(shape, block);
  std::vector<ConvForm> forms;
  if (!blocked.in && !shape.is_depthwise() && shape.group_in() <= most_plane_channels)
    forms.push_back({ImageForm::planes, ImageForm::blocks, block, channels});
  forms.push_back({ImageForm::blocks, ImageForm::blocks, block, channels});
  if (!blocked.in && !blocked.out)
    forms.push_back({ImageForm::planes, ImageForm::planes, block, channels});
  for (const ConvForm& form : forms) {
    const ConvCut cut = cut_conv(shape, form, true);
    bool is_fast = true;
    for (std::size_t kind = 0; kind < 2 && is_fast; ++kind) {
      if (!cut.has_kind(kind)) continue;
      const PrimitivePtr primitive = cache.conv(cut.requests[kind]);
      is_fast = primitive != nullptr && !primitive->is_reference();
    }
    if (is_fast) return form;
  }
  return std::nullopt;
}

ConvCut cut_conv(const ConvShape& shape, const ConvForm& form, bool has_bias) {
  ConvCut cut;
  const bool is_depthwise = shape.is_depthwise();
  const std::int64_t groups = is_depthwise ? 1 : shape.sizes.groups;
  const std::int64_t group_in = shape.sizes.channels_in / groups;
  const std::int64_t group_out = shape.sizes.channels_out / groups;
  if (form.in == ImageForm::blocks) add_input_pieces(shape, form, groups, group_in, cut);
  for (std::int64_t group = 0; group < groups; ++group) {
    for (std::int64_t first = 0; first < group_out; first += form.piece_channels) {
      ConvPiece piece;
      piece.in_first = group * group_in + (is_depthwise ? first : 0);
      piece.in_offset = group * in_form_count(group_in, form.in, form.block) * shape.in_pixels() +
                        (is_depthwise ? first * shape.in_pixels() : 0);
      piece.out_first = group * group_out + first;
      piece.out_count = std::min(form.piece_channels, group_out - first);
      piece.kind = piece.out_count < form.piece_channels ? 1 : 0;
      piece.bias_offset = cut.bias_floats;
      cut.bias_floats += in_form_count(piece.out_count, form.out, form.block);
      cut.out_counts[piece.kind] = piece.out_count;
      cut.pieces.push_back(piece);
    }
  }
  for (std::size_t kind = 0; kind < 2; ++kind) {
    if (cut.has_kind(kind))
      cut.requests[kind] = make_request(shape, form, cut.out_counts[kind], has_bias);
  }
  return cut;
}

}  // namespace ortool::onednn
