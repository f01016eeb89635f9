// Energies of frames without a transform, and the search for runs above a threshold.
#include "kernels/cpu/signal/signal_segments.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ortool::cpu {

std::vector<double> hann_window(std::int64_t length) {
  std::vector<double> window(static_cast<std::size_t>(length));
  const double step = 2 * std::numbers::pi / static_cast<double>(length);
  for (std::size_t i = 0; i < window.size(); ++i)
    window[i] = 0.5 - 0.5 * std::cos(step * static_cast<double>(i));
  return window;
}

void frame_energies(const SignalFrames& frames, std::span<const float> signal,
                    std::span<const double> window, std::span<float> energies, Workers& workers) {
  const auto size = static_cast<std::int64_t>(signal.size());
  const std::int64_t grain =
      std::max<std::int64_t>(1, 4096 / std::max<std::int64_t>(1, frames.length));
  workers.parallel_ranges(
      static_cast<std::int64_t>(energies.size()), grain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t frame = begin; frame < end; ++frame) {
          const std::int64_t first = frame * frames.step - frames.length / 2;
          double squares = 0;
          double sum = 0;
          double alternating = 0;
          for (std::int64_t t = std::max<std::int64_t>(0, -first);
               t < std::min(frames.length, size - first); ++t) {
            const double x = window[static_cast<std::size_t>(t)] *
                             static_cast<double>(signal[static_cast<std::size_t>(first + t)]);
            squares += x * x;
            sum += x;
            alternating += t % 2 == 0 ? x : -x;
          }
          // By Parseval's theorem all bins have length * squares; all but the first and, of even
          // lengths, the middle one come in pairs.
          double power = static_cast<double>(frames.length) * squares + sum * sum;
          if (frames.length % 2 == 0) power += alternating * alternating;
          const auto total = static_cast<float>(power / 2);
          energies[static_cast<std::size_t>(frame)] =
              std::isnan(total) ? -INFINITY : 10.0F * std::log10(total + 1e-10F);
        }
      });
}

std::vector<std::pair<std::int64_t, std::int64_t>> loud_runs(std::span<const float> energies,
                                                             float threshold_db) {
  std::vector<std::pair<std::int64_t, std::int64_t>> runs;
  if (energies.empty()) return runs;
  std::vector<float> ordered(energies.begin(), energies.end());
  const auto middle = ordered.begin() + static_cast<std::ptrdiff_t>(ordered.size() / 2);
  std::nth_element(ordered.begin(), middle, ordered.end());
  const float largest = *std::max_element(energies.begin(), energies.end());
  const float threshold = std::max(largest + threshold_db, *middle);
  const auto count = static_cast<std::int64_t>(energies.size());
  for (std::int64_t begin = 0; begin < count;) {
    std::int64_t end = begin;
    while (end < count && energies[static_cast<std::size_t>(end)] > threshold) ++end;
    if (end > begin) runs.emplace_back(begin, end);
    begin = end + 1;
  }
  return runs;
}

}  // namespace ortool::cpu
