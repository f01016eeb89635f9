// Global average pooling of quantized (int8) images: the mean of each channel.
#pragma once

#include <cstdint>

#include "kernels/cpu/epilogue/quantize_rows.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// N images of C channels of `pixels` bytes each, and quantization parameters of input and output.
struct Int8Mean {
  std::int64_t batch = 0;
  std::int64_t channels = 0;
  std::int64_t pixels = 0;
  bool is_blocked = false;  ///< NCHW16c (Layout::blocked16)
  Int8Scale x = {};
  float y_scale = 1.0F;
  Int8Range range = {};
};

/// out[n][c] = clamp(nearest(Σ (in - zero point) · x scale / pixels / y scale)) + zero point, ties
/// to even; the sum is exact and the rest in float64; zero if there are no pixels.
void int8_mean(const Int8Mean& mean, const std::uint8_t* in, std::uint8_t* out, Workers& workers);

}  // namespace ortool::cpu
