// Rounding ties of int8 convolutions: values near a tie are recomputed by the float32 formula.
#pragma once

#include <cstdint>

#include "kernels/cpu/conv/int8_nchw/conv.hpp"
#include "kernels/cpu/conv/int8_nchw/weight_reader.hpp"

namespace ortool::cpu {

class RoundingTieResolver {
 public:
  /// All references must outlive this object. The channels of x are in blocks of `block`, a power
  /// of two.
  RoundingTieResolver(const ConvSizes& sizes, const std::uint8_t* x, const Int8ConvDesc& desc,
                      const Int8ConvParams& params, const WeightReader& weights,
                      const QuantizeFunctions& functions, std::int64_t block = 1);

  /// Requantizes the sums of output pixels [first, first + count) of a channel, which lack the
  /// offset; with floats, rounding ties are resolved.
  void requantize(std::int64_t image, std::int64_t channel, std::int64_t first, std::int64_t count,
                  const std::int32_t* sums, std::int32_t offset, std::uint8_t* out) const;

  /// Checks output pixels [first, first + count) of a channel, whose sums lack the offset, and
  /// rewrites those at rounding ties. Requires floats.
  void resolve(std::int64_t image, std::int64_t channel, std::int64_t first, std::int64_t count,
               const std::int32_t* sums, std::int32_t offset, std::uint8_t* out) const;

  /// Quantizes a float sum of products of a channel, which lacks the bias. Requires floats.
  std::uint8_t round(float sum, std::int64_t channel) const;

  /// The value of an output pixel by the float32 formula. Requires floats.
  std::uint8_t decide(std::int64_t image, std::int64_t channel, std::int64_t pixel) const;

  /// The same for a depthwise convolution over rows and columns, from a padded copy of the flipped
  /// image: `window` is the pixel of the first tap, from which the steps lead to the next row and
  /// column of the kernel.
  std::uint8_t decide_in_copy(std::int64_t channel, std::int64_t pixel, const std::uint8_t* window,
                              std::int64_t row_step, std::int64_t column_step) const;

 private:
  float convolve(std::int64_t image, std::int64_t channel, std::int64_t pixel) const;

  const ConvSizes& sizes_;
  const std::uint8_t* x_;
  std::uint8_t image_flip_;
  const Int8ConvParams& params_;
  const WeightReader& weights_;
  const QuantizeFunctions& functions_;
  std::int64_t block_;
  float pixel_values_[256];  ///< dequantized value of each of the image's codes
};

}  // namespace ortool::cpu
