// Convolution of int8 and uint8 images in NCHW16c (libcore/tensor/layout.hpp), where the processor
// has functions for it.
#pragma once

#include <cstdint>

#include "kernels/cpu/conv/int8_nchw/conv.hpp"

namespace ortool::cpu {

/// How a convolution is computed: with the functions of a level, and as choose_int8_conv_algorithm
/// says.
struct Int8ConvAlgorithm {
  Isa isa;
  bool is_winograd = false;
};

/// The way to go for these sizes, of which batch and those of the image may be guessed.
Int8ConvAlgorithm choose_int8_conv_algorithm(const ConvSizes& sizes, bool from_nchw,
                                             const std::uint8_t* weights, std::uint8_t flip,
                                             Isa isa);

/// Whether there is a kernel, on this processor: one or two dimensions, with one group of channels
/// or as many groups as channels on either side; plain images have at most four channels in one
/// group. Weights have no zero points.
bool has_nchwc_int8_conv(const ConvSizes& sizes, bool from_nchw, Isa isa);

/// Bytes of the packed weights; spatial sizes and batch do not matter. `weights` and `flip` are
/// those that will be packed.
std::int64_t packed_nchwc_int8_conv_bytes(const ConvSizes& sizes, bool from_nchw,
                                          const std::uint8_t* weights, std::uint8_t flip,
                                          const Int8ConvAlgorithm& way);

/// Packs `weights` (channels_out × channels_in / groups × kernel) into `out` (64-byte aligned).
void pack_nchwc_int8_conv(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* weights,
                          std::uint8_t flip, const Int8ConvAlgorithm& way, std::byte* out);

/// Bytes of workspace for `nchwc_int8_conv` run by up to `threads` threads.
std::int64_t nchwc_int8_conv_workspace_bytes(const ConvSizes& sizes, bool from_nchw,
                                             const Int8ConvAlgorithm& way, int threads);

/// As int8_conv, with the same bits, into blocked bytes; from blocked ones, or plain ones of few
/// channels. Offsets and scales go on to whole blocks, with zeros. What fills up a block may be
/// anything, on both sides. Numbers have scales, and no zero points of weights.
void nchwc_int8_conv(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* x,
                     const Int8ConvDesc& form, const std::byte* packed,
                     const Int8ConvParams& numbers, std::uint8_t* y, const Int8ConvAlgorithm& way,
                     void* workspace, Workers& workers);

}  // namespace ortool::cpu
