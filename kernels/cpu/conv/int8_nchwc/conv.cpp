// Algorithm selection, weight packing and rounding-tie resolution for int8 NCHW16c convolution.
#include "kernels/cpu/conv/int8_nchwc/conv.hpp"

#include <algorithm>
#include <bit>

#include "kernels/cpu/conv/int8_nchwc/algorithms.hpp"
#include "kernels/cpu/conv/int8_nchwc/dense_layout.hpp"
#include "kernels/cpu/isa/built_features.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t word_bytes = 4;
constexpr std::int64_t vector_bytes = int8_block * word_bytes;
constexpr std::int64_t max_plain_channels = 4;

bool has_own_channels(const ConvSizes& sizes) {
  return sizes.groups > 1;
}

/// Depthwise weights: quads of four taps by sixteen channels; or four times four channels, each
/// repeated four times.
void pack_depthwise(const ConvSizes& sizes, bool is_joined, const std::uint8_t* weights,
                    std::uint8_t flip, std::uint8_t* out) {
  const std::int64_t positions = volume(sizes.kernel);
  const std::int64_t words = depthwise_quads(sizes, is_joined);
  for (std::int64_t block = 0; block < int8_blocks(sizes.channels_out); ++block) {
    for (std::int64_t word = 0; word < words; ++word) {
      for (std::int64_t byte = 0; byte < depthwise_quad_bytes(is_joined); ++byte) {
        const std::int64_t lane = byte / word_bytes;
        const std::int64_t channel =
            block * int8_block + (is_joined ? lane : byte / vector_bytes * 4 + lane % 4);
        const std::int64_t tap = depthwise_tap(sizes, is_joined, word, byte % word_bytes);
        *out++ = channel < sizes.channels_out && tap < positions
                     ? static_cast<std::uint8_t>(weights[channel * positions + tap] ^ flip)
                     : std::uint8_t{0};
      }
    }
  }
}

}  // namespace

bool is_tiled_int8(const ConvSizes& sizes, Isa isa) {
  return !has_own_channels(sizes) && nchwc_tiled_functions(isa) != nullptr;
}

bool splits_quads(Isa isa) {
  return nchwc_int8_functions(isa)->columns != nullptr;
}

void read_depthwise(const ConvSizes& sizes, bool is_joined, const std::uint8_t* packed,
                    const WeightRange& range, std::int8_t* out) {
  const std::int64_t quad_bytes = depthwise_quad_bytes(is_joined);
  const std::int64_t lane = range.channel % int8_block;
  const std::uint8_t* weights =
      packed + range.channel / int8_block * depthwise_quads(sizes, is_joined) * quad_bytes +
      (is_joined ? lane * word_bytes : lane / 4 * vector_bytes + lane % 4 * word_bytes);
  const std::int64_t row_words = (sizes.kernel[2] + 3) / 4;
  read_places(
      range, weights, [](std::int64_t) { return 0; },
      [&](std::int64_t tap) {
        if (!is_joined) return tap / 4 * quad_bytes + tap % 4;
        const std::int64_t column = tap % sizes.kernel[2];
        return (tap / sizes.kernel[2] * row_words + column / 4) * quad_bytes + column % 4;
      },
      out);
}

TapSource dense_tap_source(const ConvSizes& sizes, bool from_nchw, std::int64_t step,
                           std::int64_t byte) {
  if (!from_nchw) {
    const std::int64_t blocks = int8_blocks(sizes.channels_in);
    return {step % blocks * int8_block + byte, step / blocks};
  }
  const std::int64_t groups = (sizes.kernel[2] + 3) / 4;
  const std::int64_t column = step % groups * 4 + byte / word_bytes;
  return {byte % word_bytes, column < sizes.kernel[2] ? step / groups * sizes.kernel[2] + column
                                                      : volume(sizes.kernel)};
}

bool has_nchwc_int8_conv(const ConvSizes& sizes, bool from_nchw, Isa isa) {
  if (nchwc_int8_functions(isa) == nullptr) return false;
  const bool is_flat = sizes.in[0] == 1 && sizes.out[0] == 1 && sizes.kernel[0] == 1 &&
                       sizes.pad[0] == 0 && sizes.pad[1] >= 0 && sizes.pad[2] >= 0;
  if (!is_flat) return false;
  if (from_nchw) {
    return sizes.groups == 1 && sizes.channels_in <= max_plain_channels && sizes.dilation[2] == 1;
  }
  return sizes.groups == 1 ||
         (sizes.groups == sizes.channels_in && sizes.groups == sizes.channels_out);
}

Int8ConvAlgorithm choose_int8_conv_algorithm(const ConvSizes& sizes, bool from_nchw,
                                             const std::uint8_t* weights, std::uint8_t flip,
                                             Isa isa) {
  return {isa, has_winograd && !from_nchw && nchwc_int8_functions(isa)->winograd != nullptr &&
                   can_use_winograd_int8(sizes, weights, flip)};
}

std::int64_t packed_nchwc_int8_conv_bytes(const ConvSizes& sizes, bool from_nchw,
                                          const std::uint8_t* weights, std::uint8_t flip,
                                          const Int8ConvAlgorithm& algorithm) {
  const Isa isa = algorithm.isa;
  if (has_winograd && algorithm.is_winograd) return packed_winograd_int8_bytes(sizes);
  if (is_tiled_int8(sizes, isa)) return packed_tiled_weight_bytes(sizes, from_nchw);
  if (splits_quads(isa)) return packed_quad_bytes(sizes, from_nchw, weights, flip);
  const std::int64_t blocks = int8_blocks(sizes.channels_out);
  if (has_own_channels(sizes)) {
    const bool is_joined = joined_depthwise(sizes, isa) != nullptr;
    return blocks * depthwise_quads(sizes, is_joined) * depthwise_quad_bytes(is_joined);
  }
  return blocks * DenseLayout(sizes, from_nchw, *nchwc_int8_functions(isa)).block_bytes();
}

void pack_nchwc_int8_conv(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* weights,
                          std::uint8_t flip, const Int8ConvAlgorithm& algorithm, std::byte* out) {
  const Isa isa = algorithm.isa;
  auto* to = reinterpret_cast<std::uint8_t*>(out);
  if (has_winograd && algorithm.is_winograd) return pack_winograd_int8(sizes, weights, flip, to);
  if (is_tiled_int8(sizes, isa)) return pack_tiled_weights(sizes, from_nchw, weights, flip, to);
  if (splits_quads(isa)) return pack_quads(sizes, from_nchw, weights, flip, to);
  if (has_own_channels(sizes)) {
    const bool is_joined = joined_depthwise(sizes, isa) != nullptr;
    return pack_depthwise(sizes, is_joined, weights, flip, to);
  }
  pack_dense(sizes, from_nchw, weights, flip, *nchwc_int8_functions(isa), to);
}

std::int64_t nchwc_int8_conv_workspace_bytes(const ConvSizes& sizes, bool from_nchw,
                                             const Int8ConvAlgorithm& algorithm, int threads,
                                             std::uint8_t image_flip) {
  const Isa isa = algorithm.isa;
  if (sizes.batch <= 0 || volume(sizes.out) <= 0) return 0;
  if (has_winograd && algorithm.is_winograd) return winograd_int8_workspace_bytes(sizes, threads);
  if (is_tiled_int8(sizes, isa)) return dense_tiled_workspace_bytes(sizes, from_nchw, threads);
  if (!has_own_channels(sizes)) {
    return dense_workspace_bytes(sizes, from_nchw, *nchwc_int8_functions(isa), threads, image_flip);
  }
  return splits_quads(isa) ? depthwise_by_rows_workspace_bytes(sizes, threads)
                           : depthwise_workspace_bytes(sizes, isa, threads);
}

bool can_overwrite_nchwc_int8_conv(const ConvSizes& sizes, bool from_nchw,
                                   const Int8ConvAlgorithm& algorithm, int threads) {
  return !from_nchw && has_own_channels(sizes) && !splits_quads(algorithm.isa) &&
         can_overwrite_depthwise(sizes, threads);
}

void nchwc_int8_conv(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* x,
                     const Int8ConvDesc& desc, const std::byte* packed,
                     const Int8ConvParams& params, std::uint8_t* y,
                     const Int8ConvAlgorithm& algorithm, void* workspace, Workers& workers) {
  if (sizes.batch <= 0 || volume(sizes.out) <= 0) return;
  const Isa isa = algorithm.isa;
  const auto* packed_bytes = reinterpret_cast<const std::uint8_t*>(packed);
  const PackedNchwcWeightReader weights(sizes, from_nchw, packed_bytes, algorithm);
  const RoundingTieResolver tie_resolver(sizes, x, desc, params, weights, quantize_functions(isa),
                                         from_nchw ? 1 : int8_block);
  const NchwcInt8Conv conv{sizes,
                           x,
                           desc,
                           packed_bytes,
                           params,
                           y,
                           *nchwc_int8_functions(isa),
                           tie_resolver,
                           weights,
                           sum_tie_lanes(isa)};
  if (has_winograd && algorithm.is_winograd) return convolve_winograd(conv, workspace, workers);
  if (has_own_channels(sizes)) {
    if (splits_quads(isa)) return convolve_depthwise_by_rows(conv, workspace, workers);
    return convolve_depthwise(conv, isa, workspace, workers);
  }
  if (is_tiled_int8(sizes, isa))
    return convolve_dense_tiled(conv, *nchwc_tiled_functions(isa), from_nchw, workspace, workers);
  convolve_dense(conv, from_nchw, workspace, workers);
}

void resolve_ties(const NchwcInt8Conv& conv, std::int64_t image, std::int64_t block,
                  std::int64_t first, std::int64_t pixels, const std::uint64_t* ties) {
  if (conv.params.floats == nullptr) return;
  const std::int64_t blocks = int8_blocks(conv.sizes.channels_out);
  std::uint8_t* out =
      conv.y + ((image * blocks + block) * volume(conv.sizes.out) + first) * int8_block;
  for (std::int64_t four = 0; four < pixels; four += 4) {
    for (std::uint64_t bits = ties[four / 4]; bits != 0; bits &= bits - 1) {
      const int bit = std::countr_zero(bits);
      const std::int64_t pixel = four + bit / 16;
      const std::int64_t channel = block * int8_block + bit % 16;
      out[pixel * int8_block + bit % 16] = conv.tie_resolver.decide(image, channel, first + pixel);
    }
  }
}

}  // namespace ortool::cpu
