// Convolution of float32 images in NCHWc: channels in blocks of one vector
// (libcore/tensor/layout.hpp).
#pragma once

#include <cstdint>

#include "kernels/cpu/conv/f32_nchw/conv.hpp"
#include "kernels/cpu/conv/float_image.hpp"
#include "libcore/tensor/layout.hpp"

namespace ortool::cpu {

/// The NCHWc layout of an instruction set, with blocks as wide as its vectors. Plain NCHW for
/// baseline, which has no such kernels.
Layout blocked_layout(Isa isa);

/// The algorithm of an NCHWc convolution.
enum class NchwcConvAlgorithm {
  direct,     ///< NCHWc input
  from_nchw,  ///< NCHW input with few channels
  winograd,   ///< NCHWc input, F(4 × 4, 3 × 3)
};

/// Whether there is an NCHWc kernel: one or two spatial dimensions, and either a single group or
/// depthwise with as many groups as input channels and 1, 2, 4 or 8 output channels each; depthwise
/// from NCHWc input only.
bool can_block_conv(const ConvSizes& sizes, NchwcConvAlgorithm path);

/// The fastest algorithm for NCHWc input. Winograd's rounding error is about ten times larger, and
/// its weights take four times the space.
NchwcConvAlgorithm choose_nchwc_algorithm(const ConvSizes& sizes);

/// Estimated single-core time of Winograd, from measurements with 16-lane vectors.
double nchwc_winograd_nanoseconds(const ConvSizes& sizes, std::int64_t lanes);

/// Size of the packed weights in bytes, independent of spatial sizes and batch.
std::int64_t packed_nchwc_weight_bytes(const ConvSizes& sizes, NchwcConvAlgorithm path, Isa isa);

/// Packs `weights` (channels_out × channels_in / groups × kernel) into `out` (64-byte aligned).
void pack_nchwc_weights(const ConvSizes& sizes, NchwcConvAlgorithm path, const float* weights,
                        Isa isa, float* out, Workers& workers);

/// Bytes of workspace for `conv_nchwc` run by up to `threads` threads.
std::int64_t nchwc_conv_workspace_bytes(const ConvSizes& sizes, NchwcConvAlgorithm path, Isa isa,
                                        int threads);

/// Whether conv_nchwc takes images in bfloat16: of depthwise 3 × 3 windows with strides of up to
/// two along the rows, which reach at most one pixel beyond the image on either side, where the
/// processor has AVX512-BF16. An activation that is_function is not supported.
bool can_convolve_bfloat16(const ConvSizes& sizes, Activation activation, Isa isa);

/// Convolves `x` into `y`; y and the residual are NCHWc. The epilogue is one that `conv` supports,
/// its bias zero-padded to a whole block; the padding channels of y are zero if the activation maps
/// zero to zero. Results depend neither on the number of threads nor on a pixel's position; those
/// in bfloat16 are rounded, ties to even.
void conv_nchwc(const ConvSizes& sizes, NchwcConvAlgorithm path, const InputImage& x,
                const float* packed_weights, const OutputImage& y, const Epilogue& epilogue,
                Isa isa, void* workspace, Workers& workers);

/// A depthwise convolution that alone reads the result of another one.
struct NchwcDepthwisePostOp {
  const ConvSizes& sizes;
  const float* packed_weights;
  Epilogue epilogue;
};

/// Whether conv_nchwc_with_depthwise computes the two: a single group, not by Winograd's algorithm,
/// with results, then one output channel for each of its channels.
bool can_append_depthwise(const ConvSizes& sizes, NchwcConvAlgorithm path,
                          const ConvSizes& depthwise);

/// Whether what lies between two that can_append_depthwise is so large that strips of it are much
/// smaller, and that it would hardly stay in the nearest cache.
bool is_worth_appending_depthwise(const ConvSizes& sizes, NchwcConvAlgorithm path,
                                  const ConvSizes& depthwise, Isa isa);

/// Bytes of workspace for `conv_nchwc_with_depthwise` run by up to `threads` threads.
std::int64_t nchwc_depthwise_post_op_workspace_bytes(const ConvSizes& sizes,
                                                     NchwcConvAlgorithm path,
                                                     const ConvSizes& depthwise, Isa isa,
                                                     int threads);

/// Like conv_nchwc twice, with the same bits, without the whole image between the two: strips of
/// its rows stay in a cache. Images are float32.
void conv_nchwc_with_depthwise(const ConvSizes& sizes, NchwcConvAlgorithm path, const InputImage& x,
                               const float* packed_weights, const Epilogue& epilogue,
                               const NchwcDepthwisePostOp& depthwise, const OutputImage& y, Isa isa,
                               void* workspace, Workers& workers);

}  // namespace ortool::cpu
