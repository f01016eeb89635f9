// Window functions (Hann, Hamming, Blackman) and the mel filter bank.
#pragma once

#include <cstdint>

#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

enum class WindowShape { blackman, hamming, hann };

/// `size` weights of a window of period `period` (NaN if that is 0), computed in float64 and
/// converted to the numeric type `type`.
void fill_window(WindowShape shape, std::int64_t size, std::int64_t period, DataType type,
                 void* out);

struct MelBands {
  std::int64_t bands = 0;
  std::int64_t dft_length = 0;
  double sample_rate = 0;
  double low_hertz = 0;
  double high_hertz = 0;
};

/// The matrix [dft_length / 2 + 1, bands] of triangular filters, equally spaced on the mel scale.
/// Returns false, with `out` partly written, if a band reaches outside the spectrum.
bool fill_mel_weights(const MelBands& bands, DataType type, void* out);

}  // namespace ortool::cpu
