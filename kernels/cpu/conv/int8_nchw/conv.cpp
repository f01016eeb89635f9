// Algorithm selection (depthwise or im2col) and weight packing for int8 NCHW convolution.
#include "kernels/cpu/conv/int8_nchw/conv.hpp"

#include <algorithm>
#include <vector>

#include "kernels/cpu/conv/int8_nchw/algorithms.hpp"

namespace ortool::cpu {

bool is_int8_depthwise(const ConvSizes& sizes) {
  // From this many output planes per input plane on, im2col is faster.
  constexpr std::int64_t many = 8;
  return sizes.channels_in == sizes.groups && (sizes.groups > 1 || sizes.channels_out < many);
}

Int8Depth byte_depth(const ConvSizes& sizes) {
  const std::int64_t channels = sizes.channels_in / sizes.groups;
  if (channels == 1) return {sizes.kernel[0] * sizes.kernel[1], sizes.kernel[2], true};
  return {volume(sizes.kernel), channels, false};
}

std::int64_t int8_conv_steps(const ConvSizes& sizes, const Int8GemmFunctions& tile) {
  const Int8Depth depth = byte_depth(sizes);
  const std::int64_t words = (depth.members + tile.group - 1) / tile.group * depth.positions;
  return tile.pairs_steps ? words + words % 2 : words;
}

namespace {

std::int64_t round_to_line(std::int64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

/// Reorders one channel's weights to match the im2col columns: by position, then element,
/// zero-padded to whole quads.
void order_by_position(const std::uint8_t* weights, const Int8Depth& depth, std::int64_t stored,
                       std::uint8_t flip, std::uint8_t* out) {
  for (std::int64_t position = 0; position < depth.positions; ++position) {
    for (std::int64_t member = 0; member < stored; ++member) {
      const std::int64_t from =
          depth.has_taps ? position * depth.members + member : member * depth.positions + position;
      *out++ = member < depth.members ? static_cast<std::uint8_t>(weights[from] ^ flip)
                                      : std::uint8_t{0};
    }
  }
}

}  // namespace

std::int64_t packed_int8_conv_bytes(const ConvSizes& sizes, Isa isa) {
  if (is_int8_depthwise(sizes)) return round_to_line(sizes.channels_out * volume(sizes.kernel));
  // One extra row of ones, which computes the column sums.
  const Int8GemmFunctions& tile = int8_gemm_functions(isa);
  const std::int64_t steps = int8_conv_steps(sizes, tile) + (tile.multiplies_signed ? 1 : 0);
  return round_to_line((sizes.channels_out + 1) * steps * 4);
}

void pack_int8_conv(const ConvSizes& sizes, const std::uint8_t* weights, std::uint8_t flip, Isa isa,
                    std::byte* out, std::int32_t* sums) {
  const std::int64_t positions = volume(sizes.kernel);
  const std::int64_t channels = sizes.channels_in / sizes.groups;
  const std::int64_t depth = positions * channels;
  for (std::int64_t row = 0; row < sizes.channels_out; ++row) {
    sums[row] = sum_signed_bytes(weights + row * depth, depth, 1, flip);
  }
  if (is_int8_depthwise(sizes)) {
    auto* to = reinterpret_cast<std::uint8_t*>(out);
    for (std::int64_t i = 0; i < sizes.channels_out * depth; ++i)
      to[i] = static_cast<std::uint8_t>(weights[i] ^ flip);
    return;
  }
  const Int8GemmFunctions& tile = int8_gemm_functions(isa);
  const auto desc = Int8PackDesc::of(tile, true);
  const Int8Depth order = byte_depth(sizes);
  const std::int64_t stored = (order.members + tile.group - 1) / tile.group * tile.group;
  const std::int64_t k = stored * order.positions;
  const std::int64_t steps = desc.steps(k);
  auto* words = reinterpret_cast<std::int32_t*>(out);
  std::vector<std::uint8_t> ordered(static_cast<std::size_t>(tile.max_rows * k));
  const std::int64_t group_rows = sizes.channels_out / sizes.groups;
  for (std::int64_t group = 0; group < sizes.groups; ++group) {
    for (std::int64_t first = 0; first < group_rows; first += tile.max_rows) {
      const std::int64_t rows = std::min<std::int64_t>(tile.max_rows, group_rows - first);
      const std::int64_t row = group * group_rows + first;
      for (std::int64_t i = 0; i < rows; ++i) {
        order_by_position(weights + (row + i) * depth, order, stored, flip, ordered.data() + i * k);
      }
      pack_int8_rows(ordered.data(), k, rows, rows, k, desc, words + row * steps);
    }
  }
  const std::vector<std::uint8_t> ones(static_cast<std::size_t>(depth), std::uint8_t{1});
  order_by_position(ones.data(), order, stored, 0, ordered.data());
  pack_int8_rows(ordered.data(), k, 1, 1, k, desc, words + sizes.channels_out * steps);
  if (!tile.multiplies_signed) return;
  std::int32_t* starts = words + (sizes.channels_out + 1) * steps;
  for (std::int64_t row = 0; row < sizes.channels_out; ++row) starts[row] = times_128(sums[row]);
  starts[sizes.channels_out] = times_128(static_cast<std::int32_t>(depth));
}

std::int64_t int8_conv_workspace_bytes(const ConvSizes& sizes, Isa isa, int threads) {
  if (sizes.batch <= 0 || sizes.channels_out <= 0 || volume(sizes.out) <= 0) return 0;
  return is_int8_depthwise(sizes) ? int8_depthwise_workspace_bytes(sizes, isa, threads)
                                  : int8_im2col_workspace_bytes(sizes, isa, threads);
}

void int8_conv(const ConvSizes& sizes, const std::uint8_t* x, const Int8ConvDesc& desc,
               const std::byte* packed, const Int8ConvParams& params, void* y, Isa isa,
               void* workspace, Workers& workers) {
  if (sizes.batch <= 0 || sizes.channels_out <= 0 || volume(sizes.out) <= 0) return;
  const auto convolve = is_int8_depthwise(sizes) ? int8_conv_depthwise : int8_conv_im2col;
  convolve(sizes, x, desc, packed, params, y, isa, workspace, workers);
}

}  // namespace ortool::cpu
