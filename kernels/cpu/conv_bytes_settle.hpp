// Bytes of a convolution that lie near a half, decided as the float form decides them.
#pragma once

#include <cstdint>

#include "kernels/cpu/conv_bytes.hpp"

namespace ortool::cpu {

class ByteConvSettler {
 public:
  /// All must outlive this.
  ByteConvSettler(const ConvSizes& sizes, const std::uint8_t* x, const ByteConvForm& form,
                  const ByteConvNumbers& numbers)
      : sizes_(sizes), x_(x), form_(form), numbers_(numbers) {}

  /// Makes bytes of the sums of output pixels [first, first + count) of a channel, whose sums want
  /// the offset; with floats, those near a half are settled.
  void requantize(const ByteRowFunctions& functions, std::int64_t image, std::int64_t channel,
                  std::int64_t first, std::int64_t count, const std::int32_t* sums,
                  std::int32_t offset, std::uint8_t* out) const;

  /// Looks at output pixels [first, first + count) of a channel, whose sums want the offset, and
  /// writes the bytes of those near a half anew. Needs floats.
  void settle(std::int64_t image, std::int64_t channel, std::int64_t first, std::int64_t count,
              const std::int32_t* sums, std::int32_t offset, std::uint8_t* out) const;

 private:
  float convolve(std::int64_t image, std::int64_t channel, std::int64_t pixel) const;

  const ConvSizes& sizes_;
  const std::uint8_t* x_;
  const ByteConvForm& form_;
  const ByteConvNumbers& numbers_;
};

}  // namespace ortool::cpu
