// Weights for signals: windows, and the bands of the mel scale.
#pragma once

#include <cstdint>

#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

enum class WindowShape { blackman, hamming, hann };

/// `size` weights of a window over `period` steps (NaN where that is 0), in float64, then
/// converted to `type`, a number.
void fill_window(WindowShape shape, std::int64_t size, std::int64_t period, DataType type,
                 void* out);

struct MelBands {
  std::int64_t bands = 0;
  std::int64_t dft_length = 0;
  double sample_rate = 0;
  double low_hertz = 0;
  double high_hertz = 0;
};

/// The matrix [dft_length / 2 + 1, bands] of triangles, equally spaced on the mel scale. False, and
/// `out` half filled, when a band reaches outside the spectrum.
bool fill_mel_weights(const MelBands& bands, DataType type, void* out);

}  // namespace ortool::cpu
