// Loud segments of a signal: energies beside those of a discrete Fourier transform, and runs above
// a threshold.
#include "kernels/cpu/signal/signal_segments.hpp"

#include <cmath>
#include <complex>
#include <numbers>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {
namespace {

using Runs = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// The energy of one frame in dB, from the powers of its frequencies.
float transformed_energy(const std::vector<double>& frame) {
  const std::size_t length = frame.size();
  double power = 0;
  for (std::size_t k = 0; k <= length / 2; ++k) {
    std::complex<double> bin = 0;
    for (std::size_t t = 0; t < length; ++t) {
      const double angle =
          -2 * std::numbers::pi * static_cast<double>(k * t % length) / static_cast<double>(length);
      bin += frame[t] * std::polar(1.0, angle);
    }
    power += std::norm(bin);
  }
  return 10.0F * std::log10(static_cast<float>(power) + 1e-10F);
}

TEST_CASE("Energies of frames are those of their frequencies, of odd and even lengths") {
  std::vector<float> signal(50);
  for (std::size_t i = 0; i < signal.size(); ++i)
    signal[i] = std::sin(static_cast<float>(i * i)) * (i % 7 == 0 ? 0.1F : 1.0F);
  Workers workers;
  for (const std::int64_t length : {1, 2, 7, 8, 64}) {
    const std::vector<double> window = hann_window(length);
    std::vector<float> energies(signal.size() / 3 + 1);
    frame_energies({.length = length, .step = 3}, signal, window, energies, workers);
    for (std::size_t i = 0; i < energies.size(); ++i) {
      std::vector<double> frame(static_cast<std::size_t>(length));
      for (std::int64_t t = 0; t < length; ++t) {
        const std::int64_t place = static_cast<std::int64_t>(i) * 3 - length / 2 + t;
        const auto at = static_cast<std::size_t>(t);
        if (place >= 0 && place < static_cast<std::int64_t>(signal.size()))
          frame[at] = window[at] * static_cast<double>(signal[static_cast<std::size_t>(place)]);
      }
      INFO("length " << length << ", frame " << i);
      CHECK(energies[i] == Approx(transformed_energy(frame)).margin(1e-2));
    }
  }
}

TEST_CASE("Loud runs are above the median and near the largest energy") {
  CHECK(loud_runs(std::vector<float>{}, -10).empty());
  CHECK(loud_runs(std::vector<float>{0, 9, 10, 0, 8, 0, 10, 0, 0}, -3) ==
        Runs{{1, 3}, {4, 5}, {6, 7}});
  CHECK(loud_runs(std::vector<float>{0, 9, 10, 0, 8, 0, 10}, -1.5F) == Runs{{1, 3}, {6, 7}});
  CHECK(loud_runs(std::vector<float>{5, 5, 5}, -40).empty());
}

}  // namespace
}  // namespace ortool::cpu
