// Int8 NCHW16c convolution with a depthwise post-op: each share of the channels passes through both
// convolutions, and takes the place of the one before; with one thread, some rows at a time.
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

/// Bytes of an image of the input.
std::int64_t image_bytes(const ConvSizes& sizes) {
  return int8_blocks(sizes.channels_in) * volume(sizes.in) * int8_block;
}

/// Rows of the depthwise convolution's result, and of the image that it reads.
struct RowBand {
  std::int64_t out_begin;
  std::int64_t out_end;
  std::int64_t between_begin;
  std::int64_t between_end;

  RowBand(const ConvSizes& depthwise, std::int64_t begin, std::int64_t end)
      : out_begin(begin), out_end(end) {
    const std::int64_t reach = (depthwise.kernel[1] - 1) * depthwise.dilation[1] + 1;
    const std::int64_t height = depthwise.in[1];
    between_begin =
        std::clamp<std::int64_t>(begin * depthwise.stride[1] - depthwise.pad[1], 0, height);
    between_end = std::clamp<std::int64_t>(
        (end - 1) * depthwise.stride[1] - depthwise.pad[1] + reach, between_begin, height);
  }
  std::int64_t between_rows() const { return between_end - between_begin; }

  /// The sizes of a pointwise convolution whose result is the image between.
  ConvSizes of_dense(ConvSizes sizes) const {
    sizes.in[1] = sizes.out[1] = between_rows();
    return sizes;
  }
  ConvSizes of_depthwise(ConvSizes sizes) const {
    sizes.pad[1] += between_begin - out_begin * sizes.stride[1];
    sizes.in[1] = between_rows();
    sizes.out[1] = out_end - out_begin;
    return sizes;
  }
};

/// How the rows of an image are divided. One thread computes some rows of all channels before the
/// next ones, so that few are in memory; a row or two between the bands are computed twice. Where
/// several threads share the rows, all are one band: they would wait for each other more often.
struct BandPlan {
  std::int64_t bands = 1;
  std::int64_t rows;  ///< of the result, in a band
  std::int64_t most_between = 0;

  BandPlan(const ConvSizes& sizes, const ConvSizes& depthwise, int threads) {
    constexpr std::int64_t most_bands = 2;
    constexpr std::int64_t least_rows = 16;  ///< of a band, for each that is computed twice
    const std::int64_t reach = (depthwise.kernel[1] - 1) * depthwise.dilation[1] + 1;
    const std::int64_t repeated = std::max<std::int64_t>(reach - depthwise.stride[1], 0);
    const bool is_covered = depthwise.stride[1] * (depthwise.out[1] - 1) - depthwise.pad[1] <
                            depthwise.in[1];  // else some windows lie below the image
    if (threads <= 1 && is_pointwise(sizes) && is_covered) {
      bands = std::clamp<std::int64_t>(
          depthwise.out[1] / (least_rows * std::max<std::int64_t>(repeated, 1)), 1, most_bands);
    }
    rows = (depthwise.out[1] + bands - 1) / bands;
    bands = (depthwise.out[1] + rows - 1) / rows;
    for (std::int64_t i = 0; i < bands; ++i)
      most_between = std::max(most_between, band(depthwise, i).between_rows());
    if (bands == 1) most_between = depthwise.in[1];
  }
  RowBand band(const ConvSizes& depthwise, std::int64_t index) const {
    return {depthwise, index * rows, std::min((index + 1) * rows, depthwise.out[1])};
  }
};

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

/// The workspace: what is between the convolutions, and the rows of a band of the image.
struct PostOpSpaces {
  std::int64_t between_bytes;
  std::int64_t copy_bytes;

  PostOpSpaces(const ConvSizes& sizes, const ConvSizes& depthwise, const BandPlan& plan)
      : between_bytes(whole_cache_lines(blocks_a_share(depthwise) * plan.most_between *
                                            depthwise.in[2] * int8_block +
                                        nchwc_int8_slack)),
        copy_bytes(whole_cache_lines(
            (plan.bands > 1
                 ? int8_blocks(sizes.channels_in) * plan.most_between * sizes.in[2] * int8_block
                 : image_bytes(sizes)) +
            nchwc_int8_slack)) {}
};

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
  const BandPlan plan(sizes, depthwise, threads);
  const PostOpSpaces spaces(sizes, depthwise, plan);
  std::int64_t bytes = 0;
  for (std::int64_t i = 0; i < plan.bands; ++i) {
    const RowBand band = plan.band(depthwise, i);
    const bool is_whole = plan.bands == 1;
    const ConvSizes dense_sizes = is_whole ? sizes : band.of_dense(sizes);
    const ConvSizes depthwise_sizes = is_whole ? depthwise : band.of_depthwise(depthwise);
    bytes = std::max({bytes,
                      nchwc_int8_conv_workspace_bytes(sizes_of_share(dense_sizes, 0, channels),
                                                      false, algorithm, threads, 0),
                      nchwc_int8_conv_workspace_bytes(sizes_of_share(depthwise_sizes, 0, channels),
                                                      false, depthwise_algorithm, threads)});
  }
  // Assume signed input: the larger size.
  return spaces.between_bytes + spaces.copy_bytes + bytes;
}

namespace {

/// One call of nchwc_int8_conv_with_depthwise.
class PostOpCall {
 public:
  PostOpCall(const NchwcInt8ConvDesc& conv, const NchwcInt8ConvDesc& depthwise,
             const BandPlan& plan, void* workspace, Workers& workers)
      : conv_(conv),
        depthwise_(depthwise),
        plan_(plan),
        channels_(conv.sizes.channels_out),
        share_(blocks_a_share(depthwise.sizes) * int8_block),
        workers_(workers) {
    const PostOpSpaces spaces(conv.sizes, depthwise.sizes, plan);
    between_ = static_cast<std::uint8_t*>(workspace);
    copy_ = between_ + spaces.between_bytes;
    space_ = copy_ + spaces.copy_bytes;
  }

  /// Computes an image; `y` is its result.
  void run(const std::uint8_t* x, std::uint8_t* y) const {
    if (plan_.bands > 1) {
      for (std::int64_t i = 0; i < plan_.bands; ++i)
        run_band(plan_.band(depthwise_.sizes, i), x, y);
      return;
    }
    const std::uint8_t flip = conv_.flips.image_flip;
    if (flip != 0) flip_image(x, image_bytes(conv_.sizes), flip, copy_, workers_);
    const NchwcInt8ConvDesc dense = unsigned_conv(conv_.sizes);
    const std::int64_t block_bytes = volume(depthwise_.sizes.out) * int8_block;
    for (std::int64_t begin = 0; begin < channels_; begin += share_) {
      const std::int64_t end = std::min(begin + share_, channels_);
      ShareConv(dense, begin, end).run(flip != 0 ? copy_ : x, between_, space_, workers_);
      ShareConv(depthwise_, begin, end)
          .run(between_, y + begin / int8_block * block_bytes, space_, workers_);
    }
  }

 private:
  NchwcInt8ConvDesc unsigned_conv(const ConvSizes& sizes) const {
    return {sizes, unsigned_image_, conv_.packed, conv_.params, conv_.algorithm};
  }

  void run_band(const RowBand& band, const std::uint8_t* x, std::uint8_t* y) const {
    const ConvSizes dense_sizes = band.of_dense(conv_.sizes);
    const ConvSizes depthwise_sizes = band.of_depthwise(depthwise_.sizes);
    const std::int64_t row_bytes = conv_.sizes.in[2] * int8_block;
    const std::int64_t band_bytes = band.between_rows() * row_bytes;
    const std::int64_t blocks = int8_blocks(conv_.sizes.channels_in);
    const std::uint8_t* rows = x + band.between_begin * row_bytes;
    if (blocks > 1 || conv_.flips.image_flip != 0) {
      for (std::int64_t block = 0; block < blocks; ++block) {
        copy_flipped(rows + block * conv_.sizes.in[1] * row_bytes, band_bytes,
                     conv_.flips.image_flip, copy_ + block * band_bytes);
      }
      rows = copy_;
    }
    const NchwcInt8ConvDesc dense = unsigned_conv(dense_sizes);
    const NchwcInt8ConvDesc depthwise{depthwise_sizes, depthwise_.flips, depthwise_.packed,
                                      depthwise_.params, depthwise_.algorithm};
    const std::int64_t between_bytes = volume(depthwise_sizes.in) * int8_block;
    const std::int64_t out_row_bytes = depthwise_sizes.out[2] * int8_block;
    for (std::int64_t begin = 0; begin < channels_; begin += share_) {
      const std::int64_t end = std::min(begin + share_, channels_);
      ShareConv(dense, begin, end).run(rows, between_, space_, workers_);
      // In the result, the rows of a block are apart from those of the next.
      for (std::int64_t first = begin; first < end; first += int8_block) {
        ShareConv(depthwise, first, std::min(first + int8_block, end))
            .run(
                between_ + (first - begin) / int8_block * between_bytes,
                y + (first / int8_block * depthwise_.sizes.out[1] + band.out_begin) * out_row_bytes,
                space_, workers_);
      }
    }
  }

  const NchwcInt8ConvDesc& conv_;
  const NchwcInt8ConvDesc& depthwise_;
  const BandPlan& plan_;
  const Int8ConvDesc unsigned_image_ = {0, conv_.flips.weight_flip};
  std::int64_t channels_;
  std::int64_t share_;
  Workers& workers_;
  std::uint8_t* between_;
  std::uint8_t* copy_;
  std::uint8_t* space_;
};

}  // namespace

void nchwc_int8_conv_with_depthwise(const NchwcInt8ConvDesc& conv,
                                    const NchwcInt8ConvDesc& depthwise, const std::uint8_t* x,
                                    std::uint8_t* y, void* workspace, Workers& workers,
                                    int threads) {
  const BandPlan plan(conv.sizes, depthwise.sizes, threads);
  const PostOpCall call(conv, depthwise, plan, workspace, workers);
  const std::int64_t out_bytes =
      int8_blocks(conv.sizes.channels_out) * volume(depthwise.sizes.out) * int8_block;
  for (std::int64_t image = 0; image < conv.sizes.batch; ++image)
    call.run(x + image * image_bytes(conv.sizes), y + image * out_bytes);
}

}  // namespace ortool::cpu
