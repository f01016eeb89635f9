// Images in float32 or bfloat16, as arguments of convolutions.
#pragma once

#include <cstdint>

namespace ortool::cpu {

/// An image in float32 or bfloat16; neither: none.
template <typename Float, typename Bfloat16>
struct FloatImage {
  Float* floats = nullptr;
  Bfloat16* bfloat16 = nullptr;
};
using InputImage = FloatImage<const float, const std::uint16_t>;
using OutputImage = FloatImage<float, std::uint16_t>;

}  // namespace ortool::cpu
