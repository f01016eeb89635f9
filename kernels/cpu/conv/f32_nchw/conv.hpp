// Convolution of float32 images (NCHW, one to three spatial dimensions) with bias, residual and
// activation.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/cpu/gemm/f32/microkernel.hpp"
#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// The three dimensions are depth, height and width; a convolution with fewer leaves the leading
/// ones as they are here. Padding behind the image follows from `out`.
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
  std::int64_t pad[3] = {0, 0, 0};  ///< before the image
};

/// y = activate(sum + bias + residual).
struct ConvEpilogue {
  const float* bias = nullptr;      ///< one a channel, or null
  const float* residual = nullptr;  ///< as y, or null; must not overlap y
  Activation activation = Activation::none;
  float low = 0.0F;
  float high = 0.0F;
};

/// How a convolution is computed; the form of the packed weights depends on it.
enum class ConvPath {
  depthwise,  ///< one input channel a group: direct, weights as they are
  columns,    ///< pixels as vector lanes; a 1x1 kernel needs no windows
  rows,       ///< output channels as vector lanes, for few pixels
  winograd,   ///< tiles of 4 x 4 pixels of a 3 x 3 kernel: a quarter of the products
};

std::string_view conv_path_name(ConvPath path);

/// The best path. Any path that is right for the channels works for any spatial sizes and batch, so
/// weights packed for a typical size (or for none: 0) serve all.
ConvPath choose_conv_path(const ConvSizes& sizes);

/// Whether the path for images of sizes that are unknown yet (0) may be Winograd's.
bool may_become_winograd(const ConvSizes& sizes);

/// Bytes of the packed weights; spatial sizes and batch do not matter.
std::int64_t packed_conv_weight_bytes(const ConvSizes& sizes, ConvPath path, Isa isa);

/// Packs `weights` (channels_out × channels_in / groups × kernel) into `out` (64-byte aligned).
void pack_conv_weights(const ConvSizes& sizes, ConvPath path, const float* weights, Isa isa,
                       float* out, Workers& workers);

/// Bytes of workspace for `conv` run by up to `threads` threads.
std::int64_t conv_workspace_bytes(const ConvSizes& sizes, ConvPath path, Isa isa, int threads);

/// Convolves `x` (batch × channels_in × in) into `y` (batch × channels_out × out). `workspace` is
/// 64-byte aligned and sized for at least workers.count() threads. Bits do not depend on the number
/// of threads. Winograd's path rounds some ten times as much as a plain sum, and a NaN or an
/// infinity spoils the whole tile that sees it.
void conv(const ConvSizes& sizes, ConvPath path, const float* x, const float* packed_weights,
          float* y, const ConvEpilogue& epilogue, Isa isa, void* workspace, Workers& workers);

}  // namespace ortool::cpu
