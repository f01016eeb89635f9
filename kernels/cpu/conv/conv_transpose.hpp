// Transposed convolution of images (NCHW, one to three spatial dimensions).
#pragma once

#include <cstdint>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// The three dimensions are depth, height and width; unused leading ones keep their defaults. Input
/// i reaches outputs i * stride - pad + j * dilation for each j below the kernel size.
struct ConvTransposeSizes {
  std::int64_t batch = 0;
  std::int64_t groups = 1;
  std::int64_t channels_in = 0;
  std::int64_t channels_out = 0;
  std::int64_t in[3] = {1, 1, 1};
  std::int64_t out[3] = {1, 1, 1};
  std::int64_t kernel[3] = {1, 1, 1};
  std::int64_t stride[3] = {1, 1, 1};
  std::int64_t dilation[3] = {1, 1, 1};
  std::int64_t pad[3] = {0, 0, 0};
};

/// Size in bytes of the weights (channels_in x channels_out / groups x kernel) packed for `isa`.
std::int64_t packed_conv_transpose_bytes(const ConvTransposeSizes& sizes, Isa isa);

/// Packs weights into `out` (64-byte aligned).
void pack_conv_transpose_weights(const ConvTransposeSizes& sizes, const float* weights, Isa isa,
                                 float* out, Workers& workers);

std::int64_t conv_transpose_workspace_bytes(const ConvTransposeSizes& sizes, Isa isa);

/// y = the sum of all windows + bias (null: none). The contributions of a cache-sized tile of
/// inputs are computed as a matrix product and added to the outputs, tile by tile in order, so that
/// results do not depend on the number of threads.
void conv_transpose(const ConvTransposeSizes& sizes, const float* x, const float* packed_weights,
                    const float* bias, float* y, Isa isa, void* workspace, Workers& workers);

/// The same without packing: sums run in the order of input channels and kernel positions. T: float
/// (for groups of few channels), double.
template <typename T>
void conv_transpose_reference(const ConvTransposeSizes& sizes, const T* x, const T* weights,
                              const T* bias, T* y, Workers& workers);

}  // namespace ortool::cpu
