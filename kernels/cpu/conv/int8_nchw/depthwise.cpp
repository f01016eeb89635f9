// Depthwise int8 convolution (one input channel per group): each output plane from its input plane.
#include <algorithm>
#include <cstring>

#include "kernels/cpu/conv/int8_nchw/algorithms.hpp"
#include "kernels/cpu/conv/int8_nchw/rounding_ties.hpp"
#include "kernels/cpu/parallel/workspace_slots.hpp"

namespace ortool::cpu {
namespace {

/// Adds weight * (value - zero) for the in-range pixels of one input row to the sums of one output
/// row.
void add_row(const ConvSizes& sizes, const std::uint8_t* from, std::uint8_t flip, std::int32_t zero,
             std::int64_t kernel_column, std::int32_t weight, std::int32_t* to) {
  const std::int64_t step = sizes.stride[2];
  const std::int64_t start = kernel_column * sizes.dilation[2] - sizes.pad[2];
  const std::int64_t begin = start >= 0 ? 0 : (-start + step - 1) / step;
  const std::int64_t room = sizes.in[2] - start;
  const std::int64_t end = room <= 0 ? 0 : std::min(sizes.out[2], (room + step - 1) / step);
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int32_t product =
        weight * (static_cast<std::int32_t>(from[start + i * step] ^ flip) - zero);
    to[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(to[i]) +
                                      static_cast<std::uint32_t>(product));
  }
}

/// Computes the sums of output row `out_row` of one plane, counted over depth and height.
void sum_row(const ConvSizes& sizes, const std::uint8_t* in, const Int8ConvDesc& desc,
             std::int32_t image_zero, const std::int8_t* weights, std::int32_t weight_zero,
             std::int64_t out_row, std::int32_t* sums) {
  std::fill_n(sums, sizes.out[2], 0);
  const std::int64_t depth = out_row / sizes.out[1] * sizes.stride[0] - sizes.pad[0];
  const std::int64_t row = out_row % sizes.out[1] * sizes.stride[1] - sizes.pad[1];
  for (std::int64_t kd = 0; kd < sizes.kernel[0]; ++kd) {
    const std::int64_t z = depth + kd * sizes.dilation[0];
    if (z < 0 || z >= sizes.in[0]) continue;
    for (std::int64_t kh = 0; kh < sizes.kernel[1]; ++kh) {
      const std::int64_t y = row + kh * sizes.dilation[1];
      if (y < 0 || y >= sizes.in[1]) continue;
      const std::uint8_t* from = in + (z * sizes.in[1] + y) * sizes.in[2];
      const std::int8_t* weight = weights + (kd * sizes.kernel[1] + kh) * sizes.kernel[2];
      for (std::int64_t kw = 0; kw < sizes.kernel[2]; ++kw)
        add_row(sizes, from, desc.image_flip, image_zero, kw, weight[kw] - weight_zero, sums);
    }
  }
}

constexpr std::int64_t max_kernel_words = 64;
constexpr std::int64_t slack = 64;  ///< bytes and sums past the last one

/// How whole planes are computed from a padded copy.
struct PlanePartition {
  bool is_whole = false;  ///< otherwise row by row
  std::int64_t words = 0;
  std::int64_t rows = 0;  ///< rows of the copy
  std::int64_t columns = 0;
  std::int64_t copy_bytes = 0;
  std::int64_t slot_bytes = 0;
};

PlanePartition cut_plane(const ConvSizes& sizes, const Int8GemmFunctions& tile) {
  constexpr std::int64_t max_copy_bytes = 1 << 20;
  PlanePartition cut;
  cut.slot_bytes = (sizes.out[2] * 4 + 63) / 64 * 64;
  const bool is_flat =
      sizes.in[0] == 1 && sizes.out[0] == 1 && sizes.kernel[0] == 1 && sizes.pad[0] == 0;
  if (tile.plane == nullptr || !is_flat ||
      !is_small_window(sizes.stride[2], sizes.dilation[2], tile.group))
    return cut;
  cut.words = (sizes.kernel[2] + tile.group - 1) / tile.group;
  cut.rows = (sizes.out[1] - 1) * sizes.stride[1] + (sizes.kernel[1] - 1) * sizes.dilation[1] + 1;
  cut.columns =
      (sizes.out[2] - 1) * sizes.stride[2] + (sizes.kernel[2] - 1) * sizes.dilation[2] + 1;
  if (sizes.kernel[1] > max_kernel_words || cut.words > max_kernel_words ||
      sizes.kernel[1] * cut.words > max_kernel_words || cut.rows > max_copy_bytes ||
      cut.columns > max_copy_bytes || cut.rows * cut.columns > max_copy_bytes)
    return cut;
  cut.is_whole = true;
  // The last vector of a row reads past the windows, by at most four times its lanes.
  const std::int64_t reach = 4 * tile.lanes + cut.words * tile.group * sizes.dilation[2];
  cut.copy_bytes = (cut.rows * cut.columns + reach + slack + 63) / 64 * 64;
  const std::int64_t sums = sizes.out[1] * sizes.out[2] + tile.lanes;
  cut.slot_bytes = cut.copy_bytes + (sums * 4 + 63) / 64 * 64;
  return cut;
}

class PlaneConv {
 public:
  PlaneConv(const ConvSizes& sizes, const PlanePartition& cut, const std::uint8_t* x,
            const Int8ConvDesc& desc, const std::byte* packed, const Int8ConvParams& params,
            Isa isa)
      : sizes_(sizes),
        cut_(cut),
        desc_(desc),
        params_(params),
        tile_(int8_gemm_functions(isa)),
        weight_reader_(sizes, packed, isa),
        tie_resolver_(sizes, x, desc, params, weight_reader_, quantize_functions(isa)) {}

  /// Computes one output plane of `channel` from its input plane and weights.
  void convolve(const std::uint8_t* in, const std::int8_t* weights, std::int64_t image,
                std::int64_t channel, std::byte* slot, std::uint8_t* out,
                std::int32_t* out_sums) const {
    auto* copy = reinterpret_cast<std::uint8_t*>(slot);
    copy_with_pads(in, copy);
    std::int32_t words[max_kernel_words];
    const Int8PackDesc desc{.is_signed = true, .group = tile_.group};
    for (std::int64_t row = 0; row < sizes_.kernel[1]; ++row) {
      pack_int8_rows(reinterpret_cast<const std::uint8_t*>(weights) + row * sizes_.kernel[2],
                     sizes_.kernel[2], 1, 1, sizes_.kernel[2], desc, words + row * cut_.words);
    }
    Int8Plane plane = {};
    plane.in = copy;
    plane.in_stride = cut_.columns;
    plane.column_stride = static_cast<std::int32_t>(sizes_.stride[2]);
    plane.column_dilation = static_cast<std::int32_t>(sizes_.dilation[2]);
    plane.row_stride = static_cast<std::int32_t>(sizes_.stride[1]);
    plane.row_dilation = static_cast<std::int32_t>(sizes_.dilation[1]);
    plane.kernel_rows = static_cast<std::int32_t>(sizes_.kernel[1]);
    plane.words = static_cast<std::int32_t>(cut_.words);
    plane.weights = words;
    plane.out_rows = sizes_.out[1];
    plane.out_columns = sizes_.out[2];
    plane.sums = reinterpret_cast<std::int32_t*>(slot + cut_.copy_bytes);
    tile_.plane(plane);
    const std::int64_t pixels = sizes_.out[1] * sizes_.out[2];
    const std::int32_t offset = params_.epilogue.offsets[channel];
    if (params_.epilogue.output == EpilogueOutput::int8) {
      tie_resolver_.requantize(image, channel, 0, pixels, plane.sums, offset, out);
      return;
    }
    for (std::int64_t i = 0; i < pixels; ++i) {
      out_sums[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(plane.sums[i]) +
                                              static_cast<std::uint32_t>(offset));
    }
  }

 private:
  void copy_with_pads(const std::uint8_t* in, std::uint8_t* out) const {
    const auto fill = static_cast<std::uint8_t>(params_.image_zero);
    const std::int64_t left = std::min(sizes_.pad[2], cut_.columns);
    const std::int64_t inside = std::min(sizes_.in[2], cut_.columns - left);
    std::memset(out, fill, static_cast<std::size_t>(cut_.rows * cut_.columns));
    const std::int64_t above = std::min(sizes_.pad[1], cut_.rows);
    const std::int64_t rows = std::min(sizes_.in[1], cut_.rows - above);
    for (std::int64_t row = 0; row < rows; ++row) {
      copy_flipped(in + row * sizes_.in[2], inside, desc_.image_flip,
                   out + (above + row) * cut_.columns + left);
    }
  }

  const ConvSizes& sizes_;
  const PlanePartition& cut_;
  const Int8ConvDesc& desc_;
  const Int8ConvParams& params_;
  const Int8GemmFunctions& tile_;
  PackedInt8WeightReader weight_reader_;
  RoundingTieResolver tie_resolver_;
};

void convolve_whole_planes(const ConvSizes& sizes, const PlanePartition& cut, const std::uint8_t* x,
                           const Int8ConvDesc& desc, const std::byte* packed,
                           const Int8ConvParams& params, void* y, Isa isa, void* workspace,
                           Workers& workers) {
  constexpr std::int64_t task_pixels = 16384;
  const PlaneConv conv(sizes, cut, x, desc, packed, params, isa);
  const std::int64_t multiplier = sizes.channels_out / sizes.groups;
  const std::int64_t pixels = volume(sizes.out);
  const std::int64_t positions = volume(sizes.kernel);
  const std::int64_t grain = std::max<std::int64_t>(1, task_pixels / pixels);
  WorkspaceSlots slots(workspace, cut.slot_bytes, workers.count());
  workers.parallel_ranges(
      sizes.batch * sizes.channels_out, grain, [&](std::int64_t begin, std::int64_t end) {
        const WorkspaceSlots::Lease lease(slots);
        for (std::int64_t plane = begin; plane < end; ++plane) {
          const std::int64_t channel = plane % sizes.channels_out;
          const std::int64_t source =
              plane / sizes.channels_out * sizes.channels_in + channel / multiplier;
          conv.convolve(x + source * volume(sizes.in),
                        reinterpret_cast<const std::int8_t*>(packed) + channel * positions,
                        plane / sizes.channels_out, channel, lease.data(),
                        static_cast<std::uint8_t*>(y) + plane * pixels,
                        static_cast<std::int32_t*>(y) + plane * pixels);
        }
      });
}

}  // namespace

std::int64_t int8_depthwise_workspace_bytes(const ConvSizes& sizes, Isa isa, int threads) {
  return cut_plane(sizes, int8_gemm_functions(isa)).slot_bytes * std::max(threads, 1);
}

void int8_conv_depthwise(const ConvSizes& sizes, const std::uint8_t* x, const Int8ConvDesc& desc,
                         const std::byte* packed, const Int8ConvParams& params, void* y, Isa isa,
                         void* workspace, Workers& workers) {
  constexpr std::int64_t task_pixels = 8192;
  const PlanePartition cut = cut_plane(sizes, int8_gemm_functions(isa));
  // Nonzero weight zero points would require the window sums.
  if (cut.is_whole && params.weight_zeros == nullptr) {
    return convolve_whole_planes(sizes, cut, x, desc, packed, params, y, isa, workspace, workers);
  }
  const PackedInt8WeightReader weights(sizes, packed, isa);
  const RoundingTieResolver tie_resolver(sizes, x, desc, params, weights, quantize_functions(isa));
  const std::int64_t multiplier = sizes.channels_out / sizes.groups;
  const std::int64_t rows = sizes.out[0] * sizes.out[1];
  const std::int64_t positions = volume(sizes.kernel);
  const std::int64_t grain = std::max<std::int64_t>(1, task_pixels / sizes.out[2]);
  WorkspaceSlots slots(workspace, cut.slot_bytes, workers.count());
  const std::int64_t all_rows = sizes.batch * sizes.channels_out * rows;
  workers.parallel_ranges(all_rows, grain, [&](std::int64_t begin, std::int64_t end) {
    const WorkspaceSlots::Lease lease(slots);
    auto* sums = reinterpret_cast<std::int32_t*>(lease.data());
    for (std::int64_t index = begin; index < end; ++index) {
      const std::int64_t plane = index / rows;
      const std::int64_t channel = plane % sizes.channels_out;
      const std::int64_t source =
          plane / sizes.channels_out * sizes.channels_in + channel / multiplier;
      const auto* window = reinterpret_cast<const std::int8_t*>(packed) + channel * positions;
      const std::int32_t weight_zero =
          params.weight_zeros != nullptr ? params.weight_zeros[channel] : 0;
      sum_row(sizes, x + source * volume(sizes.in), desc, params.image_zero, window, weight_zero,
              index % rows, sums);
      // These sums exclude the image's zero point, so only the bias is added, not `offsets`.
      const std::int32_t offset = params.biases != nullptr ? params.biases[channel] : 0;
      const std::int64_t at = index * sizes.out[2];
      if (params.epilogue.output == EpilogueOutput::int8) {
        tie_resolver.requantize(plane / sizes.channels_out, channel, index % rows * sizes.out[2],
                                sizes.out[2], sums, offset, static_cast<std::uint8_t*>(y) + at);
      } else {
        auto* to = static_cast<std::int32_t*>(y) + at;
        for (std::int64_t i = 0; i < sizes.out[2]; ++i)
          to[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[i]) +
                                            static_cast<std::uint32_t>(offset));
      }
    }
  });
}

}  // namespace ortool::cpu
