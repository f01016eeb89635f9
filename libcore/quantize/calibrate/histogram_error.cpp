// Expected quantization error: integrates the closed-form squared rounding error over bins.
#include "libcore/quantize/calibrate/histogram_error.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ortool {
namespace {

/// Of types with more codes than this a pass over the bins is faster.
constexpr std::int64_t most_codes = 1024;

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

HistogramMoments::HistogramMoments(std::vector<Histogram::Bin> bins) : bins_(std::move(bins)) {
  Sums sums;
  before_.push_back(sums);
  for (const auto& [low, high, count] : bins_) {
    const auto weight = static_cast<double>(count);
    sums.count += weight;
    sums.first += weight * (low + high) / 2;
    sums.second += weight * (low * low + low * high + high * high) / 3;
    before_.push_back(sums);
  }
}

HistogramMoments::Sums HistogramMoments::below(double number, std::size_t& bin) const {
  const std::size_t count = bins_.size();
  std::size_t step = 1;
  // Doubling steps, then halving ones: the next number is seldom far away.
  while (bin + step <= count && bins_[bin + step - 1].high <= number) {
    bin += step;
    step *= 2;
  }
  for (; step > 0; step /= 2) {
    if (bin + step <= count && bins_[bin + step - 1].high <= number) bin += step;
  }
  Sums sums = before_[bin];
  if (bin == count || bins_[bin].low >= number) return sums;
  const auto& [low, high, elements] = bins_[bin];
  const double density = static_cast<double>(elements) / (high - low);
  sums.count += density * (number - low);
  sums.first += density * (number * number - low * low) / 2;
  sums.second += density * (cube(number) - cube(low)) / 3;
  return sums;
}

QuantizationError HistogramMoments::error(Scale scale, QuantizationType type) const {
  const CodeRange codes = code_range_of(type);
  if (bins_.empty() || codes.highest - codes.lowest > most_codes)
    return expected_error(bins_, scale, type);
  const auto step = static_cast<double>(scale.scale);
  const ValueRange inside = representable_range(scale, type);
  const auto squares_from = [](const Sums& sums, double end) {
    return std::max(sums.second - 2 * end * sums.first + end * end * sums.count, 0.0);
  };
  QuantizationError error;
  std::size_t bin = 0;
  Sums begin = below(inside.low, bin);
  error.clipping = squares_from(begin, inside.low);
  const std::int64_t last = codes.highest - scale.zero_point;
  const std::int64_t first = codes.lowest - scale.zero_point;
  // Codes below the first element and above the last have no share.
  const auto code_of = [&](double number) {
    return static_cast<std::int64_t>(std::nearbyint(
        std::clamp(number / step, static_cast<double>(first), static_cast<double>(last))));
  };
  const std::int64_t end_code = code_of(bins_.back().high);
  for (std::int64_t code = code_of(bins_.front().low); code <= end_code; ++code) {
    const double center = static_cast<double>(code) * step;
    const Sums end = below(code == last ? inside.high : center + step / 2, bin);
    error.rounding += squares_from(
        {end.count - begin.count, end.first - begin.first, end.second - begin.second}, center);
    begin = end;
  }
  const Sums& all = before_.back();
  const Sums above = below(inside.high, bin);
  error.clipping += squares_from(
      {all.count - above.count, all.first - above.first, all.second - above.second}, inside.high);
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
