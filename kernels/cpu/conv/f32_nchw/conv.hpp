// Convolution of float32 NCHW images (one to three spatial dimensions) with fused bias, residual
// and activation.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/cpu/epilogue/epilogue.hpp"
#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// The three dimensions are depth, height and width; unused leading ones keep their defaults. The
/// trailing padding follows from `out`.
struct ConvSizes {
  std::int64_t batch = 1;
  std::int64_t groups = 1;
  std::int64_t channels_in = 0;   ///< of all groups
  std::int64_t channels_out = 0;  ///< of all groups
  std::int64_t in[3] = {1, 1, 1};
  std::int64_t out[3] = {1, 1, 1};
  std::int64_t kernel[3] = {1, 1, 1};
  std::int64_t stride[3] = {1, 1, 1};
  std::int64_t dilation[3] = {1, 1, 1};
  std::int64_t pad[3] = {0, 0, 0};  ///< leading padding
};

/// The convolution algorithm; it determines the layout of the packed weights.
enum class ConvPath {
  depthwise,  ///< depthwise: direct, weights unpacked
  columns,    ///< im2col, pixels as vector lanes; a 1x1 kernel is a plain GEMM
  rows,       ///< im2row, output channels as vector lanes, for few pixels
  direct,     ///< windows read where they lie, pixels as vector lanes, for few output channels
  winograd,   ///< F(4x4, 3x3): a quarter of the multiplications of a 3 x 3 kernel
};

std::string_view conv_path_name(ConvPath path);

/// The fastest algorithm. An algorithm that supports the channels works for any spatial sizes and
/// batch, so weights packed for a typical size (or for unknown sizes: 0) can be used for all.
ConvPath choose_conv_path(const ConvSizes& sizes);

/// Whether Winograd may be chosen once the image sizes, unknown so far (0), are known.
bool may_become_winograd(const ConvSizes& sizes);

/// Size of the packed weights in bytes, independent of spatial sizes and batch.
std::int64_t packed_conv_weight_bytes(const ConvSizes& sizes, ConvPath path, Isa isa);

/// Packs `weights` (channels_out × channels_in / groups × kernel) into `out` (64-byte aligned).
void pack_conv_weights(const ConvSizes& sizes, ConvPath path, const float* weights, Isa isa,
                       float* out, Workers& workers);

/// Bytes of workspace for `conv` run by up to `threads` threads.
std::int64_t conv_workspace_bytes(const ConvSizes& sizes, ConvPath path, Isa isa, int threads);

/// Convolves `x` (batch × channels_in × in) into `y` (batch × channels_out × out). Of the
/// epilogue, a bias (Addend::per_row: rows are channels), a residual laid out like y and an
/// activation (without a residual if it is gelu, gelu_tanh or swish) are supported. `workspace` is
/// 64-byte aligned and sized for at least workers.count() threads. Results do not depend on the
/// number of threads. Winograd's rounding error is about ten times that of direct summation, and a
/// NaN or infinity affects every output of the tiles that read it.
void conv(const ConvSizes& sizes, ConvPath path, const float* x, const float* packed_weights,
          float* y, const Epilogue& epilogue, Isa isa, void* workspace, Workers& workers);

}  // namespace ortool::cpu
