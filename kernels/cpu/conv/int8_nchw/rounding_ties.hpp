// Rounding ties of int8 convolutions: results near a half are decided as the float form decides
// them.
#pragma once

#include <cstdint>

#include "kernels/cpu/conv/int8_nchw/conv.hpp"

namespace ortool::cpu {

class RoundingTieResolver {
 public:
  /// All must outlive this. The channels of x lie in blocks of `block`, a power of two.
  RoundingTieResolver(const ConvSizes& sizes, const std::uint8_t* x, const Int8ConvDesc& form,
                      const Int8ConvParams& numbers, const QuantizeFunctions& functions,
                      std::int64_t block = 1);

  /// Makes bytes of the sums of output pixels [first, first + count) of a channel, whose sums want
  /// the offset; with floats, those near a half are settled.
  void requantize(std::int64_t image, std::int64_t channel, std::int64_t first, std::int64_t count,
                  const std::int32_t* sums, std::int32_t offset, std::uint8_t* out) const;

  /// Looks at output pixels [first, first + count) of a channel, whose sums want the offset, and
  /// writes the bytes of those near a half anew. Needs floats.
  void settle(std::int64_t image, std::int64_t channel, std::int64_t first, std::int64_t count,
              const std::int32_t* sums, std::int32_t offset, std::uint8_t* out) const;

  /// The byte of a sum of products of a channel, which wants the bias. Needs floats.
  std::uint8_t round(float sum, std::int64_t channel) const;

  /// The byte of an output pixel as the float form has it. Needs floats.
  std::uint8_t decide(std::int64_t image, std::int64_t channel, std::int64_t pixel) const;

 private:
  float convolve(std::int64_t image, std::int64_t channel, std::int64_t pixel) const;

  const ConvSizes& sizes_;
  const std::uint8_t* x_;
  const Int8ConvDesc& form_;
  const Int8ConvParams& numbers_;
  const QuantizeFunctions& functions_;
  std::int64_t block_;
  float pixel_values_[256];  ///< what each byte of the image stands for
};

}  // namespace ortool::cpu
