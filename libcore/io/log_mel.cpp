// Log-mel spectrogram: Hann windows, powers of a Fourier transform, and Slaney's mel filters
// (M. Slaney, Auditory Toolbox, 1998).
#include "libcore/io/log_mel.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool {
namespace {

constexpr double linear_limit_hz = 1000;
constexpr double hz_per_linear_mel = 200.0 / 3;
constexpr double linear_limit_mel = linear_limit_hz / hz_per_linear_mel;
/// Above the limit, 27 mels make a factor of 6.4.
const double log_step = std::log(6.4) / 27;

double mel_of(double hz) {
  return hz < linear_limit_hz ? hz / hz_per_linear_mel
                              : linear_limit_mel + std::log(hz / linear_limit_hz) / log_step;
}

double hz_of(double mel) {
  return mel < linear_limit_mel ? mel * hz_per_linear_mel
                                : linear_limit_hz * std::exp(log_step * (mel - linear_limit_mel));
}

/// Weights of each frequency in a band: triangles of equal area.
std::vector<std::vector<double>> mel_filters(const LogMelOptions& options) {
  const double highest = static_cast<double>(options.sample_rate) / 2;
  const auto bands = static_cast<std::size_t>(options.bands);
  std::vector<double> edges(bands + 2);
  for (std::size_t i = 0; i < edges.size(); ++i)
    edges[i] = hz_of(mel_of(highest) * static_cast<double>(i) / static_cast<double>(bands + 1));
  const auto bins = static_cast<std::size_t>(options.window / 2 + 1);
  std::vector<std::vector<double>> filters(bands, std::vector<double>(bins));
  for (std::size_t band = 0; band < bands; ++band) {
    const double low = edges[band];
    const double middle = edges[band + 1];
    const double high = edges[band + 2];
    for (std::size_t bin = 0; bin < bins; ++bin) {
      const double hz = highest * static_cast<double>(bin) / static_cast<double>(bins - 1);
      const double slope = std::min((hz - low) / (middle - low), (high - hz) / (high - middle));
      filters[band][bin] = std::max(0.0, slope) * 2 / (high - low);
    }
  }
  return filters;
}

/// The mean of the channels, with silence behind it and the window's half mirrored at both ends.
std::vector<double> padded_samples(const WavFile& file, const LogMelOptions& options,
                                   MemoryCap* cap) {
  WavFile part = file;
  part.frames = std::min(file.frames, options.samples);
  constexpr std::int64_t any_size[] = {-1, -1};
  const Tensor channels = wav_to_tensor(part, DataType::float64, any_size, cap);
  const std::int64_t half = options.window / 2;
  std::vector<double> samples(static_cast<std::size_t>(options.samples + 2 * half));
  const auto at = [&](std::int64_t place) -> double& {
    return samples[static_cast<std::size_t>(place)];
  };
  const std::span<const double> all = channels.data<double>();
  for (std::size_t i = 0; i < all.size(); ++i) {
    at(half + static_cast<std::int64_t>(i) % part.frames) +=
        all[i] / static_cast<double>(file.channels);
  }
  const std::int64_t last = half + options.samples - 1;
  for (std::int64_t i = 1; i <= half; ++i) {
    at(half - i) = at(half + i);
    at(last + i) = at(last - i);
  }
  return samples;
}

/// The powers of the frequencies of real, windowed frames.
class PowerSpectrum {
 public:
  explicit PowerSpectrum(std::size_t size)
      : size_(size), hann_(size), cosines_(size), sines_(size) {
    for (std::size_t i = 0; i < size; ++i) {
      const double angle =
          2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(size);
      cosines_[i] = std::cos(angle);
      sines_[i] = std::sin(angle);
      hann_[i] = 0.5 - 0.5 * cosines_[i];
    }
  }

  /// `powers` has size / 2 + 1 elements.
  void compute(const double* frame, std::vector<double>& powers) {
    const std::size_t half = size_ / 2;
    even_.assign(half + 1, 0);
    odd_.assign(half + 1, 0);
    even_[0] = frame[0] * hann_[0];
    even_[half] = frame[half] * hann_[half];
    for (std::size_t i = 1; i < half; ++i) {
      const double a = frame[i] * hann_[i];
      const double b = frame[size_ - i] * hann_[size_ - i];
      even_[i] = a + b;
      odd_[i] = a - b;
    }
    for (std::size_t bin = 0; bin <= half; ++bin) {
      double real = 0;
      double imaginary = 0;
      std::size_t angle = 0;
      for (std::size_t i = 0; i <= half; ++i) {
        real += even_[i] * cosines_[angle];
        imaginary += odd_[i] * sines_[angle];
        angle += bin;
        if (angle >= size_) angle -= size_;
      }
      powers[bin] = real * real + imaginary * imaginary;
    }
  }

 private:
  std::size_t size_;
  std::vector<double> hann_;
  std::vector<double> cosines_;
  std::vector<double> sines_;
  std::vector<double> even_;
  std::vector<double> odd_;
};

bool is_silent(const double* frame, std::int64_t size) {
  return std::all_of(frame, frame + size, [](double sample) { return sample == 0; });
}

}  // namespace

Tensor log_mel_spectrogram(const WavFile& file, const LogMelOptions& options, MemoryCap* cap) {
  if (file.sample_rate != options.sample_rate) {
    throw Error(ErrorCode::invalid,
                format("audio of {} does not fit the model, which takes {} Hz", file.describe(),
                       options.sample_rate),
                format("convert it, as by ffmpeg -i in.wav -ar {} out.wav", options.sample_rate));
  }
  constexpr double smallest_power = 1e-10;
  const std::int64_t frames = options.samples / options.hop;
  const std::vector<std::vector<double>> filters = mel_filters(options);
  const std::vector<double> samples = padded_samples(file, options, cap);
  PowerSpectrum spectrum(static_cast<std::size_t>(options.window));
  std::vector<double> powers(static_cast<std::size_t>(options.window / 2 + 1));
  Tensor result(DataType::float32, Shape{1, options.bands, frames}, cap);
  const std::span<float> out = result.mutable_data<float>();
  for (std::int64_t frame = 0; frame < frames; ++frame) {
    const double* begin = samples.data() + frame * options.hop;
    const bool has_sound = !is_silent(begin, options.window);
    if (has_sound) spectrum.compute(begin, powers);
    for (std::size_t band = 0; band < filters.size(); ++band) {
      double power = 0;
      for (std::size_t bin = 0; has_sound && bin < powers.size(); ++bin)
        power += filters[band][bin] * powers[bin];
      out[band * static_cast<std::size_t>(frames) + static_cast<std::size_t>(frame)] =
          static_cast<float>(std::log10(std::max(power, smallest_power)));
    }
  }
  if (out.empty()) return result;
  // What is 80 dB below the loudest is cut, and the rest is brought near [-1, 1].
  const float lowest = *std::max_element(out.begin(), out.end()) - 8.0F;
  for (float& value : out) value = (std::max(value, lowest) + 4.0F) / 4.0F;
  return result;
}

}  // namespace ortool
