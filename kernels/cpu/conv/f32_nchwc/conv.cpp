// Algorithm selection and weight packing for float32 NCHWc convolution.
#include "kernels/cpu/conv/f32_nchwc/conv.hpp"

#include <algorithm>

#include "kernels/cpu/conv/bf16_nchwc/depthwise.hpp"
#include "kernels/cpu/conv/f32_nchw/algorithms.hpp"
#include "kernels/cpu/conv/f32_nchwc/algorithms.hpp"
#include "kernels/cpu/epilogue/epilogue_at.hpp"
#include "kernels/cpu/isa/architecture.hpp"
#include "kernels/cpu/isa/built_features.hpp"
#include "libcore/base/error.hpp"

namespace ortool::cpu {

Layout blocked_layout(Isa isa) {
  switch (isa) {
    case Isa::amx:
    case Isa::avx512:
      return Layout::blocked16;
    case Isa::avx2:
      return Layout::blocked8;
    default:
      return is_x86 ? Layout::plain : Layout::blocked8;
  }
}

namespace {

bool is_depthwise(const ConvSizes& sizes) {
  if (sizes.groups <= 1 || sizes.groups != sizes.channels_in) return false;
  const std::int64_t multiplier = sizes.channels_out / sizes.groups;
  return multiplier == 1 || multiplier == 2 || multiplier == 4 || multiplier == 8;
}

std::int64_t blocks_of(std::int64_t channels, std::int64_t lanes) {
  return (channels + lanes - 1) / lanes;
}

/// One vector of depthwise weights per kernel position.
void pack_depthwise_weights(const ConvSizes& sizes, const float* weights, std::int64_t lanes,
                            float* out) {
  const std::int64_t positions = volume(sizes.kernel);
  const std::int64_t blocks = blocks_of(sizes.channels_out, lanes);
  for (std::int64_t i = 0; i < blocks * positions * lanes; ++i) {
    const std::int64_t channel = i / (positions * lanes) * lanes + i % lanes;
    const std::int64_t position = i / lanes % positions;
    out[i] = channel < sizes.channels_out ? weights[channel * positions + position] : 0.0F;
  }
}

/// Packs dense weights in the order in which the microkernel reads them: input planes (channel
/// blocks, or single channels of an NCHW image), kernel rows and columns, channels of the block;
/// for each of these, the vectors of two (for the last group possibly one) output-channel blocks.
class DensePacker {
 public:
  DensePacker(const ConvSizes& sizes, NchwcConvAlgorithm path, const float* weights,
              std::int64_t lanes, float* out)
      : sizes_(sizes),
        weights_(weights),
        plane_channels_(path == NchwcConvAlgorithm::from_nchw ? 1 : lanes),
        depth_(sizes.channels_in * volume(sizes.kernel)),
        out_(out) {}

  void pack_group(std::int64_t first_channel, std::int64_t width) {
    float* to = out_ + first_channel * depth_;
    const std::int64_t positions = volume(sizes_.kernel);
    for (std::int64_t plane = 0; plane < sizes_.channels_in; plane += plane_channels_) {
      const std::int64_t end = std::min(plane + plane_channels_, sizes_.channels_in);
      for (std::int64_t position = 0; position < positions; ++position) {
        for (std::int64_t channel = plane; channel < end; ++channel) {
          const float* from = weights_ + channel * positions + position;
          for (std::int64_t i = 0; i < width; ++i) {
            const std::int64_t out_channel = first_channel + i;
            *to++ = out_channel < sizes_.channels_out ? from[out_channel * depth_] : 0.0F;
          }
        }
      }
    }
  }

 private:
  const ConvSizes& sizes_;
  const float* weights_;
  std::int64_t plane_channels_;
  std::int64_t depth_;
  float* out_;
};

}  // namespace

bool can_block_conv(const ConvSizes& sizes, NchwcConvAlgorithm path) {
  const bool is_flat = sizes.in[0] == 1 && sizes.out[0] == 1 && sizes.kernel[0] == 1 &&
                       sizes.pad[0] == 0 && sizes.channels_in > 0 && sizes.channels_out > 0 &&
                       volume(sizes.kernel) > 0;
  if (!is_flat) return false;
  if (has_winograd && path == NchwcConvAlgorithm::winograd) return can_use_winograd(sizes);
  return sizes.groups == 1 || (path == NchwcConvAlgorithm::direct && is_depthwise(sizes));
}

NchwcConvAlgorithm choose_nchwc_algorithm(const ConvSizes& sizes) {
  return has_winograd && is_worth_nchwc_winograd(sizes) ? NchwcConvAlgorithm::winograd
                                                        : NchwcConvAlgorithm::direct;
}

std::int64_t packed_nchwc_weight_bytes(const ConvSizes& sizes, NchwcConvAlgorithm path, Isa isa) {
  const std::int64_t lanes = nchwc_functions(isa).lanes;
  if (has_winograd && path == NchwcConvAlgorithm::winograd)
    return nchwc_winograd_weight_bytes(sizes, lanes);
  const std::int64_t channels = blocks_of(sizes.channels_out, lanes) * lanes;
  return channels * sizes.channels_in / sizes.groups * volume(sizes.kernel) * 4;
}

void pack_nchwc_weights(const ConvSizes& sizes, NchwcConvAlgorithm path, const float* weights,
                        Isa isa, float* out, Workers& workers) {
  const std::int64_t lanes = nchwc_functions(isa).lanes;
  if (has_winograd && path == NchwcConvAlgorithm::winograd)
    return pack_nchwc_winograd_weights(sizes, weights, lanes, out, workers);
  if (sizes.groups > 1) return pack_depthwise_weights(sizes, weights, lanes, out);
  const std::int64_t blocks = blocks_of(sizes.channels_out, lanes);
  DensePacker packer(sizes, path, weights, lanes, out);
  workers.parallel_for((blocks + 1) / 2, [&](std::int64_t group) {
    packer.pack_group(group * 2 * lanes, std::min<std::int64_t>(2, blocks - 2 * group) * lanes);
  });
}

RowRange rows_inside(const ConvSizes& sizes, std::int64_t row) {
  const std::int64_t start = row * sizes.stride[1] - sizes.pad[1];
  const std::int64_t step = sizes.dilation[1];
  const std::int64_t begin = start >= 0 ? 0 : (-start + step - 1) / step;
  const std::int64_t room = sizes.in[1] - start;
  const std::int64_t end = room <= 0 ? 0 : std::min(sizes.kernel[1], (room + step - 1) / step);
  return {std::min(begin, end), end};
}

std::int64_t nchwc_conv_workspace_bytes(const ConvSizes& sizes, NchwcConvAlgorithm path, Isa isa,
                                        int threads) {
  if (sizes.batch <= 0 || volume(sizes.out) <= 0) return 0;
  if (sizes.groups > 1)
    return nchwc_depthwise_workspace_bytes(sizes, nchwc_functions(isa), threads);
  if (has_winograd && path == NchwcConvAlgorithm::winograd)
    return nchwc_winograd_workspace_bytes(sizes, nchwc_functions(isa), threads);
  return nchwc_dense_workspace_bytes(sizes, path, nchwc_functions(isa), threads);
}

bool can_convolve_bfloat16(const ConvSizes& sizes, Activation activation, Isa isa) {
  const auto reaches_one = [&](int axis) {
    const std::int64_t span = (sizes.out[axis] - 1) * sizes.stride[axis] + sizes.kernel[axis];
    return sizes.pad[axis] <= 1 && span - sizes.pad[axis] <= sizes.in[axis] + 1;
  };
  return has_16_bit_floats && bf16_depthwise_functions(isa) != nullptr && is_depthwise(sizes) &&
         sizes.channels_out == sizes.channels_in && sizes.kernel[1] == 3 && sizes.kernel[2] == 3 &&
         sizes.dilation[1] == 1 && sizes.dilation[2] == 1 && sizes.stride[2] <= 2 &&
         reaches_one(2) && !is_function(activation);
}

void conv_nchwc(const ConvSizes& sizes, NchwcConvAlgorithm path, const InputImage& x,
                const float* packed_weights, const OutputImage& y, const Epilogue& epilogue,
                Isa isa, void* workspace, Workers& workers) {
  if (sizes.batch <= 0 || volume(sizes.out) <= 0) return;
  const NchwcFunctions& functions = nchwc_functions(isa);
  const NchwcConvOperands operands{x, packed_weights, y, epilogue};
  if (sizes.groups > 1) {
    return conv_nchwc_depthwise(sizes, operands, functions,
                                has_16_bit_floats ? bf16_depthwise_functions(isa) : nullptr,
                                workspace, workers);
  }
  ORTOOL_CHECK(x.bfloat16 == nullptr && y.bfloat16 == nullptr);
  if (has_winograd && path == NchwcConvAlgorithm::winograd)
    return conv_nchwc_winograd(sizes, operands, functions, workspace, workers);
  conv_nchwc_dense(sizes, path, operands, functions, workspace, workers);
}

}  // namespace ortool::cpu
