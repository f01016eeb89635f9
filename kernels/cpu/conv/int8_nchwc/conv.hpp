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

/// Bytes of workspace for `nchwc_int8_conv` run by up to `threads` threads. Signed images, which
/// are flipped, are copied even where others are read in place.
std::int64_t nchwc_int8_conv_workspace_bytes(const ConvSizes& sizes, bool from_nchw,
                                             const Int8ConvAlgorithm& algorithm, int threads,
                                             std::uint8_t image_flip = 128);

/// Whether `y` may be `x` in nchwc_int8_conv run by up to `threads` threads.
bool can_overwrite_nchwc_int8_conv(const ConvSizes& sizes, bool from_nchw,
                                   const Int8ConvAlgorithm& algorithm, int threads);

/// Like int8_conv, with bit-identical results; the output is NCHW16c, the input NCHW16c or NCHW
/// with few channels. Offsets and scales are zero-padded to whole blocks. Padding channels may hold
/// any values, in input and output. Requires scales, and weights without zero points.
void nchwc_int8_conv(const ConvSizes& sizes, bool from_nchw, const std::uint8_t* x,
                     const Int8ConvDesc& desc, const std::byte* packed,
                     const Int8ConvParams& params, std::uint8_t* y,
                     const Int8ConvAlgorithm& algorithm, void* workspace, Workers& workers);

/// The arguments of nchwc_int8_conv that describe a convolution.
struct NchwcInt8ConvDesc {
  const ConvSizes& sizes;
  const Int8ConvDesc& flips;
  const std::byte* packed;
  const Int8ConvParams& params;
  Int8ConvAlgorithm algorithm;
};

/// Whether nchwc_int8_conv_with_depthwise computes the two: a dense convolution of an NCHW16c
/// image, then one output channel for each of its channels; with instruction sets whose packed
/// weights are apart for each block of channels.
bool can_append_int8_depthwise(const ConvSizes& sizes, const Int8ConvAlgorithm& algorithm,
                               const ConvSizes& depthwise,
                               const Int8ConvAlgorithm& depthwise_algorithm);

/// Bytes of workspace for `nchwc_int8_conv_with_depthwise` run by up to `threads` threads.
std::int64_t nchwc_int8_depthwise_workspace_bytes(const ConvSizes& sizes,
                                                  const Int8ConvAlgorithm& algorithm,
                                                  const ConvSizes& depthwise,
                                                  const Int8ConvAlgorithm& depthwise_algorithm,
                                                  int threads);

/// Like nchwc_int8_conv twice, with the same bits, without the whole image between the two: some
/// blocks of its channels at a time. `threads`: those of the workspace.
void nchwc_int8_conv_with_depthwise(const NchwcInt8ConvDesc& conv,
                                    const NchwcInt8ConvDesc& depthwise, const std::uint8_t* x,
                                    std::uint8_t* y, void* workspace, Workers& workers,
                                    int threads);

}  // namespace ortool::cpu
