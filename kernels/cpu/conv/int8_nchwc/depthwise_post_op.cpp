// Int8 NCHW16c convolution with a depthwise post-op: each share of the channels passes through both
// convolutions, and takes the place of the one before.
#include <algorithm>

#include "kernels/cpu/conv/int8_nchwc/algorithms.hpp"
#include "kernels/cpu/gemm/int8/pack.hpp"

namespace ortool::cpu {
namespace {

/// Blocks of channels of a share: what lies between the convolutions then stays in an L2 cache.
std::int64_t blocks_a_share(const ConvSizes& depthwise) {
  constexpr std::int64_t share_bytes = 256 * 1024;
  const std::int64_t blocks = int8_blocks(depthwise.channels_in);
  const std::int64_t block_bytes = std::max<std::int64_t>(1, volume(depthwise.in) * int8_block);
  // Dense convolutions compute two blocks together.
  const std::int64_t most = std::max<std::int64_t>(2, share_bytes / block_bytes);
  const std::int64_t shares = (blocks + most - 1) / most;
  const std::int64_t even = (blocks + shares - 1) / shares;
  return std::min(blocks, (even + 1) / 2 * 2);
}

/// The sizes of one image's channels [begin, end) of the result.
ConvSizes sizes_of_share(const ConvSizes& whole, std::int64_t begin, std::int64_t end) {
  ConvSizes sizes = whole;
  sizes.batch = 1;
  sizes.channels_out = end - begin;
  if (whole.groups > 1) sizes.groups = sizes.channels_in = sizes.channels_out;
  return sizes;
}

std::int64_t whole_cache_lines(std::int64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

/// Bytes of an image of the input, with what kernels may load behind it.
std::int64_t image_bytes(const ConvSizes& sizes) {
  return int8_blocks(sizes.channels_in) * volume(sizes.in) * int8_block;
}
std::int64_t copied_image_bytes(const ConvSizes& sizes) {
  return whole_cache_lines(image_bytes(sizes) + nchwc_int8_slack);
}

/// Runs a convolution for the channels from `begin` on.
class ShareConv {
 public:
  ShareConv(const NchwcInt8ConvDesc& conv, std::int64_t begin, std::int64_t end)
      : conv_(conv), sizes_(sizes_of_share(conv.sizes, begin, end)), params_(conv.params) {
    const std::int64_t block_bytes = packed_nchwc_int8_conv_bytes(
        sizes_of_share(conv.sizes, 0, int8_block), false, nullptr, 0, conv.algorithm);
    packed_ = conv.packed + begin / int8_block * block_bytes;
    params_.epilogue.offsets += begin;
    params_.epilogue.scales += begin;
    if (params_.biases != nullptr) params_.biases += begin;
    if (params_.floats == nullptr) return;
    floats_ = *params_.floats;
    floats_.weights +=
        begin * (conv.sizes.channels_in / conv.sizes.groups) * volume(conv.sizes.kernel);
    floats_.weight_scales += begin;
    if (floats_.biases != nullptr) floats_.biases += begin;
    params_.floats = &floats_;
  }
  ShareConv(const ShareConv&) = delete;
  ShareConv& operator=(const ShareConv&) = delete;

  void run(const std::uint8_t* x, std::uint8_t* y, void* workspace, Workers& workers) const {
    nchwc_int8_conv(sizes_, false, x, conv_.flips, packed_, params_, y, conv_.algorithm, workspace,
                    workers);
  }

 private:
  const NchwcInt8ConvDesc& conv_;
  ConvSizes sizes_;
  Int8ConvParams params_;
  Int8ConvFloats floats_;
  const std::byte* packed_;
};

bool has_blocks_apart(const Int8ConvAlgorithm& algorithm) {
  const NchwcInt8Functions* functions = nchwc_int8_functions(algorithm.isa);
  return !algorithm.is_winograd && functions != nullptr && functions->columns == nullptr;
}

std::int64_t share_bytes_of(const ConvSizes& depthwise) {
  const std::int64_t bytes = blocks_a_share(depthwise) * volume(depthwise.in) * int8_block;
  return whole_cache_lines(bytes + nchwc_int8_slack);
}

/// Flips a signed image once, not in each share.
void flip_image(const std::uint8_t* x, std::int64_t bytes, std::uint8_t flip, std::uint8_t* out,
                Workers& workers) {
  constexpr std::int64_t piece = 64 * 1024;
  workers.parallel_ranges(bytes, piece, [&](std::int64_t begin, std::int64_t end) {
    copy_flipped(x + begin, end - begin, flip, out + begin);
  });
}

}  // namespace

bool can_append_int8_depthwise(const ConvSizes& sizes, const Int8ConvAlgorithm& algorithm,
                               const ConvSizes& depthwise,
                               const Int8ConvAlgorithm& depthwise_algorithm) {
  return sizes.groups == 1 && depthwise.groups > 1 && has_blocks_apart(algorithm) &&
         has_blocks_apart(depthwise_algorithm) && nchwc_tiled_functions(algorithm.isa) == nullptr &&
         has_nchwc_int8_conv(sizes, false, algorithm.isa) &&
         has_nchwc_int8_conv(depthwise, false, depthwise_algorithm.isa) &&
         depthwise.channels_in == sizes.channels_out && depthwise.batch == sizes.batch &&
         // A share of a single channel would be a dense convolution.
         sizes.channels_out % int8_block != 1 &&
         std::equal(std::begin(sizes.out), std::end(sizes.out), std::begin(depthwise.in));
}

std::int64_t nchwc_int8_depthwise_workspace_bytes(const ConvSizes& sizes,
                                                  const Int8ConvAlgorithm& algorithm,
                                                  const ConvSizes& depthwise,
                                                  const Int8ConvAlgorithm& depthwise_algorithm,
                                                  int threads) {
  const std::int64_t channels =
      std::min(blocks_a_share(depthwise) * int8_block, sizes.channels_out);
  const std::int64_t bytes =
      std::max(nchwc_int8_conv_workspace_bytes(sizes_of_share(sizes, 0, channels), false, algorithm,
                                               threads),
               nchwc_int8_conv_workspace_bytes(sizes_of_share(depthwise, 0, channels), false,
                                               depthwise_algorithm, threads));
  // Assume signed input: the larger size.
  return share_bytes_of(depthwise) + copied_image_bytes(sizes) + bytes;
}

void nchwc_int8_conv_with_depthwise(const NchwcInt8ConvDesc& conv,
                                    const NchwcInt8ConvDesc& depthwise, const std::uint8_t* x,
                                    std::uint8_t* y, void* workspace, Workers& workers) {
  auto* const between = static_cast<std::uint8_t*>(workspace);
  std::uint8_t* const copy = between + share_bytes_of(depthwise.sizes);
  std::uint8_t* const space = copy + copied_image_bytes(conv.sizes);
  const std::uint8_t flip = conv.flips.image_flip;
  const Int8ConvDesc unsigned_image = {0, conv.flips.weight_flip};
  const NchwcInt8ConvDesc dense{conv.sizes, unsigned_image, conv.packed, conv.params,
                                conv.algorithm};
  const std::int64_t channels = conv.sizes.channels_out;
  const std::int64_t share = blocks_a_share(depthwise.sizes) * int8_block;
  const std::int64_t in_bytes = image_bytes(conv.sizes);
  const std::int64_t block_bytes = volume(depthwise.sizes.out) * int8_block;
  for (std::int64_t image = 0; image < conv.sizes.batch; ++image) {
    const std::uint8_t* const from = x + image * in_bytes;
    if (flip != 0) flip_image(from, in_bytes, flip, copy, workers);
    for (std::int64_t begin = 0; begin < channels; begin += share) {
      const std::int64_t end = std::min(begin + share, channels);
      ShareConv(dense, begin, end).run(flip != 0 ? copy : from, between, space, workers);
      ShareConv(depthwise, begin, end)
          .run(between, y + (image * int8_blocks(channels) + begin / int8_block) * block_bytes,
               space, workers);
    }
  }
}

}  // namespace ortool::cpu
