// The ratio that errors are told by.
#pragma once

#include <cmath>
#include <limits>

namespace ortool {

/// 10 log10(signal / noise) of two sums of squares, in decibels; infinity without noise, minus
/// infinity where there is noise alone.
inline double signal_to_noise_db(double signal, double noise) {
  if (noise == 0) return std::numeric_limits<double>::infinity();
  if (signal == 0) return -std::numeric_limits<double>::infinity();
  return 10 * std::log10(signal / noise);
}

}  // namespace ortool
