// Convolution of float32 images in NCHWc: channels in blocks of a vector
// (libcore/tensor/layout.hpp).
#pragma once

#include <cstdint>

#include "kernels/cpu/conv/f32_nchw/conv.hpp"
#include "libcore/tensor/layout.hpp"

namespace ortool::cpu {

/// The blocked layout of a level: blocks as wide as its vectors. Plain for baseline, which has
/// none.
Layout blocked_layout(Isa isa);

/// How a blocked convolution is computed.
enum class NchwcConvAlgorithm {
  direct,     ///< from blocked images
  from_nchw,  ///< from plain images of few channels
  winograd,   ///< from blocked images, by F(4 × 4, 3 × 3)
};

/// Whether there is a blocked kernel: images of one or two dimensions, with one group of channels,
/// or as many groups as channels on either side; the latter from blocked images only.
bool can_block_conv(const ConvSizes& sizes, NchwcConvAlgorithm path);

/// What is fastest from blocked images: Winograd's form rounds some ten times as much and has four
/// times the weights.
NchwcConvAlgorithm choose_nchwc_algorithm(const ConvSizes& sizes);

/// About what Winograd's form takes one core, by measurements with vectors of 16.
double nchwc_winograd_nanoseconds(const ConvSizes& sizes, std::int64_t lanes);

/// Bytes of the packed weights; spatial sizes and batch do not matter.
std::int64_t packed_nchwc_weight_bytes(const ConvSizes& sizes, NchwcConvAlgorithm path, Isa isa);

/// Packs `weights` (channels_out × channels_in / groups × kernel) into `out` (64-byte aligned).
void pack_nchwc_weights(const ConvSizes& sizes, NchwcConvAlgorithm path, const float* weights,
                        Isa isa, float* out, Workers& workers);

/// Bytes of workspace for `conv_nchwc` run by up to `threads` threads.
std::int64_t nchwc_conv_workspace_bytes(const ConvSizes& sizes, NchwcConvAlgorithm path, Isa isa,
                                        int threads);

/// Convolves `x` into `y`, which is blocked, as a residual is. `bias` fills its last block with
/// zeros; so does y when the activation keeps zero as it is. Bits do not depend on the number of
/// threads, nor on where a pixel lies.
void conv_nchwc(const ConvSizes& sizes, NchwcConvAlgorithm path, const float* x,
                const float* packed_weights, float* y, const ConvEpilogue& epilogue, Isa isa,
                void* workspace, Workers& workers);

}  // namespace ortool::cpu
