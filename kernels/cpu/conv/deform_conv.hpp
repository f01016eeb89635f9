// Deformable convolution: sampling positions are displaced by offsets given as an input.
#pragma once

#include <cstdint>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// The three dimensions are depth, height and width; unused leading ones keep their defaults.
struct DeformConvSizes {
  std::int64_t axes = 2;  ///< spatial axes in use
  std::int64_t batch = 0;
  std::int64_t groups = 1;
  std::int64_t offset_groups = 1;
  std::int64_t channels_in = 0;
  std::int64_t channels_out = 0;
  std::int64_t in[3] = {1, 1, 1};
  std::int64_t out[3] = {1, 1, 1};
  std::int64_t kernel[3] = {1, 1, 1};
  std::int64_t stride[3] = {1, 1, 1};
  std::int64_t dilation[3] = {1, 1, 1};
  std::int64_t pad[3] = {0, 0, 0};
};

/// Optional operands are null.
template <typename T>
struct DeformConvOperands {
  const T* x = nullptr;
  const T* weights = nullptr;  ///< channels_out x channels_in / groups x kernel
  const T* offsets = nullptr;  ///< batch x offset groups x kernel x axes x out
  const T* bias = nullptr;
  const T* mask = nullptr;  ///< batch x offset groups x kernel x out
  T* y = nullptr;
};

template <typename T>
std::int64_t deform_conv_workspace_bytes(const DeformConvSizes& sizes, Isa isa);

/// Samples are interpolated linearly between the four (two, eight) nearest pixels; pixels outside
/// the image count as 0. A tile of windows is sampled, then multiplied by the weights. T: float,
/// double.
template <typename T>
void deform_conv(const DeformConvSizes& sizes, const DeformConvOperands<T>& operands, Isa isa,
                 void* workspace, Workers& workers);

}  // namespace ortool::cpu
