// Convolution of int8 and uint8 images in NCHW16c (libcore/tensor/layout.hpp), where the processor
// has functions for it.
#pragma once

#include <cstdint>

#include "kernels/cpu/conv/int8_nchw/conv.hpp"

namespace ortool::cpu {

/// How a convolution is computed: with the functions of a level, and as choose_byte_conv_way says.
struct ByteConvWay {
  Isa isa;
  bool is_winograd = false;
};

/// The way to go for these sizes, of which batch and those of the image may be guessed.
ByteConvWay choose_byte_conv_way(const ConvSizes& sizes, bool from_plain,
                                 const std::uint8_t* weights, std::uint8_t flip, Isa isa);

/// Whether there is a kernel, on this processor: one or two dimensions, with one group of channels
/// or as many groups as channels on either side; plain images have at most four channels in one
/// group. Weights have no zero points.
bool can_block_byte_conv(const ConvSizes& sizes, bool from_plain, Isa isa);

/// Bytes of the packed weights; spatial sizes and batch do not matter. `weights` and `flip` are
/// those that will be packed.
std::int64_t packed_blocked_byte_conv_bytes(const ConvSizes& sizes, bool from_plain,
                                            const std::uint8_t* weights, std::uint8_t flip,
                                            const ByteConvWay& way);

/// Packs `weights` (channels_out × channels_in / groups × kernel) into `out` (64-byte aligned).
void pack_blocked_byte_conv(const ConvSizes& sizes, bool from_plain, const std::uint8_t* weights,
                            std::uint8_t flip, const ByteConvWay& way, std::byte* out);

/// Bytes of workspace for `blocked_byte_conv` run by up to `threads` threads.
std::int64_t blocked_byte_conv_workspace_bytes(const ConvSizes& sizes, bool from_plain,
                                               const ByteConvWay& way, int threads);

/// As byte_conv, with the same bits, into blocked bytes; from blocked ones, or plain ones of few
/// channels. Offsets and scales go on to whole blocks, with zeros. What fills up a block may be
/// anything, on both sides. Numbers have scales, and no zero points of weights.
void blocked_byte_conv(const ConvSizes& sizes, bool from_plain, const std::uint8_t* x,
                       const ByteConvForm& form, const std::byte* packed,
                       const ByteConvNumbers& numbers, std::uint8_t* y, const ByteConvWay& way,
                       void* workspace, Workers& workers);

}  // namespace ortool::cpu
