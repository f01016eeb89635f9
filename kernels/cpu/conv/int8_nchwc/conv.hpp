// Convolution of int8 and uint8 images in NCHW16c (libcore/tensor/layout.hpp), on processors with
// kernels for it.
#pragma once

#include <cstdint>

#include "kernels/cpu/conv/int8_nchw/conv.hpp"

namespace ortool::cpu {

/// How a convolution is computed: the instruction set, and the choice of
/// choose_int8_conv_algorithm.
struct Int8ConvAlgorithm {
  Isa isa;
  bool is_winograd = false;
};

/// The fastest algorithm for these sizes; batch and image sizes may be estimates.
Int8ConvAlgorithm choose_int8_conv_algorithm(const ConvSizes& sizes, bool from_nchw,
                                             const std::uint8_t* weights, std::uint8_t flip,
                                             Isa isa);

/// Whether this processor has a kernel: one or two spatial dimensions, and either a single group or
/// depthwise with as many groups as input and output channels; NCHW input has a single group of at
/// most four channels. Weights must have no zero points.
bool has_nchwc_int8_conv(const ConvSizes& sizes, bool from_nchw, Isa isa);

/// Size of the packed weights in bytes, independent of spatial sizes and batch. `weights` and
/// `flip` are those that will be packed.
std::int64_t packed_nchwc_int8_conv_bytes(const ConvSizes& sizes, bool from_nchw,
                                          const std::uint8_t* weights, std::uint8_t flip,
                                          const Int8ConvAlgorithm& algorithm);

/// Packs `weights` (channels_out × channels_in / groups × kernel) into `out` (64-byte aligned).
void pack_nchwc_int8_conv(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* weights,
                          std::uint8_t flip, const Int8ConvAlgorithm& algorithm, std::byte* out);

/// Bytes of workspace for `nchwc_int8_conv` run by up to `threads` threads.
std::int64_t nchwc_int8_conv_workspace_bytes(const ConvSizes& sizes, bool from_nchw,
                                             const Int8ConvAlgorithm& algorithm, int threads);

/// Like int8_conv, with bit-identical results; the output is NCHW16c, the input NCHW16c or NCHW
/// with few channels. Offsets and scales are zero-padded to whole blocks. Padding channels may hold
/// any values, in input and output. Requires scales, and weights without zero points.
void nchwc_int8_conv(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* x,
                     const Int8ConvDesc& desc, const std::byte* packed,
                     const Int8ConvParams& params, std::uint8_t* y,
                     const Int8ConvAlgorithm& algorithm, void* workspace, Workers& workers);

}  // namespace ortool::cpu
