// Loud segments of a signal: the energies of its frames, and runs of frames above a threshold.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// Overlapping frames of a signal with zeros around it, each weighted by a Hann window.
struct SignalFrames {
  std::int64_t length = 0;  ///< samples of a frame
  std::int64_t step = 0;    ///< samples from one frame to the next
};

/// A periodic Hann window.
std::vector<double> hann_window(std::int64_t length);

/// energies[i], in dB: the sum of the powers of frame i's frequencies from 0 to half the sample
/// rate. There are signal.size() / frames.step + 1 of them.
void frame_energies(const SignalFrames& frames, std::span<const float> signal,
                    std::span<const double> window, std::span<float> energies, Workers& workers);

/// Runs [begin, end) of energies above both their median and their largest plus `threshold_db`.
std::vector<std::pair<std::int64_t, std::int64_t>> loud_runs(std::span<const float> energies,
                                                             float threshold_db);

}  // namespace ortool::cpu
