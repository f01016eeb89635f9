// Signal-to-noise ratio.
#pragma once

#include <cmath>
#include <limits>

namespace ortool {

/// 10 log10(signal / noise) for two sums of squares, in decibels; infinite without noise, minus
/// infinity with noise only.
inline double signal_to_noise_db(double signal, double noise) {
  if (noise == 0) return std::numeric_limits<double>::infinity();
  if (signal == 0) return -std::numeric_limits<double>::infinity();
  return 10 * std::log10(signal / noise);
}

}  // namespace ortool
