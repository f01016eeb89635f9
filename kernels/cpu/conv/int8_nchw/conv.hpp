// Convolution of int8 and uint8 NCHW images (one to three spatial dimensions), accumulated exactly
// in int32; the output is int32 or requantized.
#pragma once

#include <cstdint>

#include "kernels/cpu/conv/f32_nchw/conv.hpp"
#include "kernels/cpu/epilogue/epilogue.hpp"
#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// The kernels compute u8s8: unsigned images and signed weights. Signed images are flipped (the top
/// bit of each value is inverted and the zero point is increased by 128), and so are unsigned
/// weights (the zero point is decreased by 128).
struct Int8ConvDesc {
  std::uint8_t image_flip = 0;   ///< 128 for int8
  std::uint8_t weight_flip = 0;  ///< 128 for uint8
};

/// Float parameters of the same convolution; they decide outputs at rounding ties.
struct Int8ConvFloats {
  const float* weight_scales = nullptr;  ///< one per channel
  const float* biases = nullptr;         ///< one per channel; null: none
  float image_scale = 0.0F;
  float out_scale = 0.0F;
};

/// Quantization parameters. Zero points are those after the flip.
struct Int8ConvParams {
  std::int32_t image_zero = 0;
  const std::int32_t* weight_zeros = nullptr;  ///< one per channel; null: all 0
  const std::int32_t* biases = nullptr;        ///< one per channel; null: none
  /// To int32 or int8, by offsets (bias - image_zero * (sum of weights - depth * weight zero)) and
  /// scales only, one per channel.
  Epilogue epilogue;
  const Int8ConvFloats* floats = nullptr;  ///< null: the int32 sums alone decide
};

/// Size of the packed weights in bytes, independent of spatial sizes and batch.
std::int64_t packed_int8_conv_bytes(const ConvSizes& sizes, Isa isa);

/// Packs `weights` (channels_out × channels_in / groups × kernel) into `out` (64-byte aligned), and
/// writes the sum of each channel's flipped weights to `sums`.
void pack_int8_conv(const ConvSizes& sizes, const std::uint8_t* weights, std::uint8_t flip, Isa isa,
                    std::byte* out, std::int32_t* sums);

/// Bytes of workspace for `int8_conv` run by up to `threads` threads.
std::int64_t int8_conv_workspace_bytes(const ConvSizes& sizes, Isa isa, int threads);

/// y = clamp(nearest(float(sum + offset) * scale)) + zero point, ties to even; or sum + offset. The
/// sum is that of (x - zero) * (w - zero) over the kernel, with padding equal to the zero point;
/// int32 wraps. With `floats`, values within tie_margin of a tie are summed again in float32: in
/// the order of channels and kernel positions, with fused multiply-adds, then the bias is added,
/// and the result is divided by the scale. Bit-identical on all instruction sets and for any number
/// of threads.
void int8_conv(const ConvSizes& sizes, const std::uint8_t* x, const Int8ConvDesc& desc,
               const std::byte* packed, const Int8ConvParams& params, void* y, Isa isa,
               void* workspace, Workers& workers);

}  // namespace ortool::cpu
