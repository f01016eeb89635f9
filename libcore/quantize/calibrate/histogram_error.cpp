// Expected quantization error: integrates the closed-form squared rounding error over bins.
#include "libcore/quantize/calibrate/histogram_error.hpp"

#include <algorithm>
#include <cmath>

namespace ortool {
namespace {

double cube(double x) {
  return x * x * x;
}

/// The integral of the squared distance to the nearest multiple of `step`, from 0 to x.
double rounding_integral(double x, double step) {
  const double code = std::nearbyint(x / step);
  return code * cube(step) / 12 + cube(x - code * step) / 3;
}

}  // namespace

QuantizationError expected_error(std::span<const Histogram::Bin> bins, Scale scale,
                                 QuantizationType type) {
  const ValueRange inside = representable_range(scale, type);
  const auto step = static_cast<double>(scale.scale);
  QuantizationError error;
  for (const auto& [low, high, count] : bins) {
    if (low == high) {
      const double kept = std::clamp(low, inside.low, inside.high);
      const double rest = kept - step * std::nearbyint(kept / step);
      error.rounding += static_cast<double>(count) * rest * rest;
      error.clipping += static_cast<double>(count) * (low - kept) * (low - kept);
      continue;
    }
    const double density = static_cast<double>(count) / (high - low);
    const double from = std::clamp(low, inside.low, inside.high);
    const double to = std::clamp(high, inside.low, inside.high);
    if (from < to) {
      error.rounding += density * (rounding_integral(to, step) - rounding_integral(from, step));
    }
    if (low < inside.low) {
      const double last = std::min(high, inside.low);
      error.clipping += density * (cube(inside.low - low) - cube(inside.low - last)) / 3;
    }
    if (high > inside.high) {
      const double first = std::max(low, inside.high);
      error.clipping += density * (cube(high - inside.high) - cube(first - inside.high)) / 3;
    }
  }
  return error;
}

double count_outside(std::span<const Histogram::Bin> bins, ValueRange range) {
  double outside = 0;
  for (const auto& [low, high, count] : bins) {
    if (low == high) {
      outside += low < range.low || low > range.high ? static_cast<double>(count) : 0;
      continue;
    }
    const double below = std::clamp(range.low - low, 0.0, high - low);
    const double above = std::clamp(high - range.high, 0.0, high - low);
    outside += static_cast<double>(count) * std::min((below + above) / (high - low), 1.0);
  }
  return outside;
}

}  // namespace ortool
