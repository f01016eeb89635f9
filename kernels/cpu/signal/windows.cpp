// Window functions and mel filter banks, computed in float64.
#include "kernels/cpu/signal/windows.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <type_traits>

#include "kernels/cpu/types/convert_element.hpp"
#include "kernels/cpu/types/dispatch_data_type.hpp"

namespace ortool::cpu {
namespace {

double window_weight(WindowShape shape, double turns) {
  const double angle = 2.0 * std::numbers::pi * turns;
  switch (shape) {
    case WindowShape::blackman:
      return 0.42 - 0.5 * std::cos(angle) + 0.08 * std::cos(2.0 * angle);
    case WindowShape::hamming:
      return 25.0 / 46.0 - 21.0 / 46.0 * std::cos(angle);
    default:
      return std::pow(std::sin(angle / 2.0), 2.0);
  }
}

double mel_of(double hertz) {
  return 2595.0 * std::log1p(hertz / 700.0) / std::numbers::ln10;
}

double hertz_of(double mel) {
  return 700.0 * std::expm1(mel / 2595.0 * std::numbers::ln10);
}

template <typename T>
bool fill_bands(const MelBands& mel, T* out) {
  const std::int64_t bins = mel.dft_length / 2 + 1;
  std::fill(out, out + bins * mel.bands, convert_number<T>(0.0));
  const double low = mel_of(mel.low_hertz);
  const double step = (mel_of(mel.high_hertz) - low) / static_cast<double>(mel.bands + 2);
  const auto bin_of = [&](std::int64_t i) {
    const double hertz = hertz_of(low + static_cast<double>(i) * step);
    return std::floor(static_cast<double>(mel.dft_length + 1) * hertz / mel.sample_rate);
  };
  for (std::int64_t band = 0; band < mel.bands; ++band) {
    const double places[] = {bin_of(band), bin_of(band + 1), bin_of(band + 2)};
    for (const double place : places) {
      if (!(place >= 0.0 && place <= static_cast<double>(bins))) return false;
    }
    const auto left = static_cast<std::int64_t>(places[0]);
    const auto center = static_cast<std::int64_t>(places[1]);
    const auto right = static_cast<std::int64_t>(places[2]);
    if (center >= bins) return false;
    const auto set = [&](std::int64_t bin, double part, double whole) {
      out[bin * mel.bands + band] = convert_number<T>(part / whole);
    };
    if (left == center) set(center, 1.0, 1.0);
    for (std::int64_t bin = left; left < center && bin <= center; ++bin)
      set(bin, static_cast<double>(bin - left), static_cast<double>(center - left));
    for (std::int64_t bin = center; bin < right; ++bin)
      set(bin, static_cast<double>(right - bin), static_cast<double>(right - center));
  }
  return true;
}

}  // namespace

void fill_window(WindowShape shape, std::int64_t size, std::int64_t period, DataType type,
                 void* out) {
  dispatch_data_type(type, [&](auto number) {
    using T = decltype(number);
    if constexpr (!std::is_same_v<T, bool>) {
      for (std::int64_t i = 0; i < size; ++i) {
        double weight = window_weight(shape, static_cast<double>(i) / static_cast<double>(period));
        // ONNX casts weights from float32: a value that rounds to 1 must not be truncated to 0.
        if constexpr (std::is_integral_v<T>) weight = static_cast<float>(weight);
        static_cast<T*>(out)[i] = convert_number<T>(weight);
      }
    }
  });
}

bool fill_mel_weights(const MelBands& bands, DataType type, void* out) {
  bool is_good = true;
  dispatch_data_type(type, [&](auto number) {
    using T = decltype(number);
    if constexpr (!std::is_same_v<T, bool>) is_good = fill_bands(bands, static_cast<T*>(out));
  });
  return is_good;
}

}  // namespace ortool::cpu
