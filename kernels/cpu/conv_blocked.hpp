// Convolution of float32 images whose channels lie in blocks of a vector
// (libcore/tensor/layout.hpp).
#pragma once

#include <cstdint>

#include "kernels/cpu/conv_f32.hpp"
#include "libcore/tensor/layout.hpp"

namespace ortool::cpu {

/// The blocked layout of a level: blocks as wide as its vectors. Plain for baseline, which has
/// none.
Layout blocked_layout(Isa isa);

/// What a blocked convolution reads: blocked images, or plain ones of few channels.
enum class BlockedSource { blocked, plain };

/// Whether there is a blocked kernel: images of one or two dimensions, with one group of channels,
/// or as many groups as channels on either side; the latter from blocked images only.
bool can_block_conv(const ConvSizes& sizes, BlockedSource source);

/// Bytes of the packed weights; spatial sizes and batch do not matter.
std::int64_t packed_blocked_weight_bytes(const ConvSizes& sizes, Isa isa);

/// Packs `weights` (channels_out × channels_in / groups × kernel) into `out` (64-byte aligned).
void pack_blocked_weights(const ConvSizes& sizes, BlockedSource source, const float* weights,
                          Isa isa, float* out, Workers& workers);

/// Bytes of workspace for `conv_blocked` run by up to `threads` threads.
std::int64_t blocked_conv_workspace_bytes(const ConvSizes& sizes, BlockedSource source, Isa isa,
                                          int threads);

/// Convolves `x` into `y`, which is blocked, as a residual is. `bias` fills its last block with
/// zeros; so does y when the activation keeps zero as it is. Bits do not depend on the number of
/// threads, nor on where a pixel lies.
void conv_blocked(const ConvSizes& sizes, BlockedSource source, const float* x,
                  const float* packed_weights, float* y, const ConvEpilogue& epilogue, Isa isa,
                  void* workspace, Workers& workers);

}  // namespace ortool::cpu
