// Convolution of int8 and uint8 images (NCHW, one to three spatial dimensions), exact in int32, to
// int32 or requantized.
#pragma once

#include <cstdint>

#include "kernels/cpu/conv/f32_nchw/conv.hpp"
#include "kernels/cpu/epilogue/quantize_rows.hpp"
#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// The forms that the kernels want operands in: images unsigned, weights signed. A signed image is
/// flipped (its bytes have the top bit changed, its zero point is 128 more), and so are unsigned
/// weights (128 less).
struct Int8ConvDesc {
  std::uint8_t image_flip = 0;   ///< 128 for int8
  std::uint8_t weight_flip = 0;  ///< 128 for uint8
};

/// The same convolution in floats, which decides the bytes whose numbers lie near a half.
struct Int8ConvFloats {
  const std::uint8_t* weights = nullptr;  ///< channels_out × channels_in / groups × kernel
  const float* weight_scales = nullptr;   ///< one a channel
  const float* biases = nullptr;          ///< one a channel; null: none
  float image_scale = 0.0F;
  float out_scale = 0.0F;
};

/// What is known of the numbers. Zero points are those after the flip.
struct Int8ConvParams {
  std::int32_t image_zero = 0;
  const std::int32_t* weight_zeros = nullptr;  ///< one a channel; null: all 0
  const std::int32_t* biases = nullptr;        ///< one a channel; null: none
  /// One a channel: bias - image_zero * (sum of weights - depth * weight zero).
  const std::int32_t* offsets = nullptr;
  const float* scales = nullptr;  ///< one a channel; null: the result is int32
  Int8Range range = {};
  const Int8ConvFloats* floats = nullptr;  ///< null: sums alone decide
};

/// Bytes of the packed weights; spatial sizes and batch do not matter.
std::int64_t packed_int8_conv_bytes(const ConvSizes& sizes, Isa isa);

/// Packs `weights` (channels_out × channels_in / groups × kernel) into `out` (64-byte aligned), and
/// writes the sum of each channel's flipped weights to `sums`.
void pack_int8_conv(const ConvSizes& sizes, const std::uint8_t* weights, std::uint8_t flip, Isa isa,
                    std::byte* out, std::int32_t* sums);

/// Bytes of workspace for `int8_conv` run by up to `threads` threads.
std::int64_t int8_conv_workspace_bytes(const ConvSizes& sizes, Isa isa, int threads);

/// y = clamp(nearest(float(sum + offset) * scale)) + zero point, halves to even; or sum + offset.
/// The sum is that of (x - zero) * (w - zero) over the kernel, with pads worth the zero point;
/// int32 wraps. With floats, numbers within tie_margin of a half are summed up again as floats:
/// in order of channels and kernel positions, each product added in one rounding, then the bias,
/// and divided by the scale. The same bits on every level and for any number of threads.
void int8_conv(const ConvSizes& sizes, const std::uint8_t* x, const Int8ConvDesc& form,
               const std::byte* packed, const Int8ConvParams& numbers, void* y, Isa isa,
               void* workspace, Workers& workers);

}  // namespace ortool::cpu
