// A convolution cut into pieces that oneDNN computes one by one, by the size of the problem alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/cpu/conv/f32_nchw/conv.hpp"
#include "providers/onednn/primitive_cache.hpp"

namespace ortool::onednn {

/// What a convolution node computes. `sizes` as cpu::conv takes them, or as cpu::conv_transpose.
struct ConvShape {
  cpu::ConvSizes sizes;
  bool is_transposed = false;
  std::int64_t axes = 2;  ///< that count, the last of the three

  std::int64_t group_in() const { return sizes.channels_in / sizes.groups; }
  std::int64_t group_out() const { return sizes.channels_out / sizes.groups; }
  /// One channel in and one out a group: pieces are ranges of groups.
  bool is_depthwise() const { return sizes.groups > 1 && group_in() == 1 && group_out() == 1; }
  std::int64_t in_pixels() const { return sizes.in[0] * sizes.in[1] * sizes.in[2]; }
  std::int64_t out_pixels() const { return sizes.out[0] * sizes.out[1] * sizes.out[2]; }
  std::int64_t kernel_points() const { return sizes.kernel[0] * sizes.kernel[1] * sizes.kernel[2]; }
};

/// How oneDNN gets images, and how many channels a piece of the result has.
struct ConvForm {
  ImageForm in = ImageForm::planes;
  ImageForm out = ImageForm::planes;
  std::int64_t block = 16;
  std::int64_t piece_channels = 16;  ///< a multiple of `block` where the result is in blocks

  bool operator==(const ConvForm&) const = default;
};

/// Some channels of the result. Offsets are in floats.
struct ConvPiece {
  std::int64_t in_first = 0;   ///< the first of the input's channels that it reads
  std::int64_t in_offset = 0;  ///< of the same in an image in blocks
  std::int64_t out_first = 0;
  std::int64_t out_count = 0;
  std::int64_t bias_offset = 0;
  std::size_t kind = 0;  ///< 0: a whole piece, 1: the rest of a group
};

/// Channels of the input to bring into blocks at once.
struct ConvInputPiece {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t offset = 0;  ///< in floats, in the image in blocks
};

/// The cut of one image. Requests of kind 1 are only meant where a piece is of that kind.
struct ConvCut {
  std::vector<ConvPiece> pieces;
  std::vector<ConvInputPiece> input_pieces;  ///< none where oneDNN reads planes
  std::array<ConvRequest, 2> requests;
  std::array<std::int64_t, 2> out_counts = {0, 0};  ///< channels of each kind that count
  std::int64_t bias_floats = 0;
  std::int64_t in_floats = 0;  ///< of an image in blocks
  bool has_kind(std::size_t kind) const { return out_counts[kind] > 0; }
};

/// Operands that come and go in blocks; the others are planes.
struct BlockedOperands {
  bool in = false;
  bool out = false;
};

/// The form in which oneDNN has fast code for it; nothing when there is none. Where the size of the
/// image is not known, `sizes.in` and `out` are a likely one.
std::optional<ConvForm> choose_conv_form(const ConvShape& shape, std::int64_t block,
                                         BlockedOperands blocked, PrimitiveCache& cache);

ConvCut cut_conv(const ConvShape& shape, const ConvForm& form, bool has_bias);

}  // namespace ortool::onednn
