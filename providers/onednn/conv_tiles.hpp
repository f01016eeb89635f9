// Convolution partition: pieces that oneDNN computes one by one, by the problem size only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/cpu/conv/f32_nchw/conv.hpp"
#include "providers/onednn/primitive_cache.hpp"

namespace ortool::onednn {

/// The computation of a convolution node. `sizes` as in cpu::conv or cpu::conv_transpose.
struct ConvShape {
  cpu::ConvSizes sizes;
  bool is_transposed = false;
  std::int64_t axes = 2;  ///< spatial axes in use: the last of the three

  std::int64_t group_in() const { return sizes.channels_in / sizes.groups; }
  std::int64_t group_out() const { return sizes.channels_out / sizes.groups; }
  /// One input and one output channel per group: pieces are ranges of groups.
  bool is_depthwise() const { return sizes.groups > 1 && group_in() == 1 && group_out() == 1; }
  std::int64_t in_pixels() const { return sizes.in[0] * sizes.in[1] * sizes.in[2]; }
  std::int64_t out_pixels() const { return sizes.out[0] * sizes.out[1] * sizes.out[2]; }
  std::int64_t kernel_points() const { return sizes.kernel[0] * sizes.kernel[1] * sizes.kernel[2]; }
};

/// The layouts of oneDNN's images, and the number of output channels per piece.
struct ConvFormat {
  ImageFormat in = ImageFormat::planes;
  ImageFormat out = ImageFormat::planes;
  std::int64_t block = 16;
  std::int64_t tile_channels = 16;  ///< a multiple of `block` if the output is blocked

  bool operator==(const ConvFormat&) const = default;
};

/// A range of output channels. Offsets are in floats.
struct ConvTile {
  std::int64_t in_first = 0;   ///< first input channel that it reads
  std::int64_t in_offset = 0;  ///< of that channel in a blocked image
  std::int64_t out_first = 0;
  std::int64_t out_count = 0;
  std::int64_t bias_offset = 0;
  std::size_t kind = 0;  ///< 0: a whole piece, 1: the remainder of a group
};

/// Input channels to reorder to blocked layout at once.
struct ConvInputTile {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t offset = 0;  ///< in floats, in the blocked image
};

/// The partition of one image. The request of kind 1 is valid only if a piece has that kind.
struct ConvPartition {
  std::vector<ConvTile> output_tiles;
  std::vector<ConvInputTile> input_tiles;  ///< empty if oneDNN reads plain layout
  std::array<ConvRequest, 2> requests;
  std::array<std::int64_t, 2> out_counts = {0, 0};  ///< valid channels of each kind
  std::int64_t bias_floats = 0;
  std::int64_t in_floats = 0;  ///< of a blocked image
  bool has_kind(std::size_t kind) const { return out_counts[kind] > 0; }
};

/// Operands in blocked layout; the others are plain.
struct BlockedOperands {
  bool in = false;
  bool out = false;
};

/// The form for which oneDNN has fast code; empty if there is none. If the image size is unknown,
/// `sizes.in` and `out` are typical values.
std::optional<ConvFormat> choose_conv_format(const ConvShape& shape, std::int64_t block,
                                             BlockedOperands blocked, PrimitiveCache& cache);

ConvPartition partition_conv(const ConvShape& shape, const ConvFormat& image_format, bool has_bias);

}  // namespace ortool::onednn
