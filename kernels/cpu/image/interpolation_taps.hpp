// Interpolation taps: the pixels around a fractional position, and their weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/cpu/image/grid_sample.hpp"

namespace ortool::cpu {

/// The pixels along one axis and their weights; index -1: no pixel.
template <typename C>
struct AxisTaps {
  std::int64_t index[4] = {};
  C weight[4] = {};
};

/// Reflects `place` at the ends `low` and `high` as often as needed.
template <typename C>
C reflected(C place, C low, C high) {
  const C range = high - low;
  if (place >= low && place <= high) return place;
  if (!(range > C{0})) return low;
  const C beyond = place < low ? low - place : place - high;
  const C times = std::floor(beyond / range);
  const C rest = beyond - times * range;
  const bool is_even = std::fmod(times, C{2}) == C{0};
  return (place < low) == is_even ? low + rest : high - rest;
}

template <typename C>
class AxisSampler {
 public:
  AxisSampler(const GridSampleSizes& sizes, std::int64_t size)
      : mode_(sizes.mode),
        padding_(sizes.padding),
        align_corners_(sizes.align_corners),
        size_(size),
        low_(sizes.align_corners ? C{0} : C{-0.5}),
        high_(static_cast<C>(size) + (sizes.align_corners ? C{-1} : C{-0.5})) {}

  /// Computes the taps of a grid coordinate.
  void set(C number, AxisTaps<C>& taps) const {
    if (size_ == 0) {
      for (std::int64_t i = 0; i < 4; ++i) taps.index[i] = -1;
      return;
    }
    const C length = static_cast<C>(size_);
    C place = align_corners_ ? (number + C{1}) / C{2} * (length - C{1})
                             : ((number + C{1}) * length - C{1}) / C{2};
    if (mode_ == SampleMode::nearest) place = std::nearbyint(place);
    if (place < low_ || place > high_) {
      // Cubic windows fade out past the border, as in other runtimes.
      const C spare = mode_ == SampleMode::cubic ? C{3} : C{0};
      if (padding_ == SamplePadding::border)
        place = std::clamp(place, -spare, length - C{1} + spare);
      if (padding_ == SamplePadding::reflection) place = reflected(place, low_, high_);
    }
    // Positions farther away, and NaN, touch no pixel.
    if (!(place >= C{-4} && place <= length + C{4})) place = C{-4};
    const C below = std::floor(place);
    const C rest = place - below;
    const auto first = static_cast<std::int64_t>(below);
    if (mode_ == SampleMode::nearest) {
      taps.index[0] = pixel(first);
      taps.weight[0] = C{1};
    } else if (mode_ == SampleMode::linear) {
      taps.index[0] = pixel(first);
      taps.index[1] = pixel(first + 1);
      taps.weight[0] = C{1} - rest;
      taps.weight[1] = rest;
    } else {
      for (std::int64_t i = 0; i < 4; ++i) {
        taps.index[i] = pixel(first - 1 + i);
        taps.weight[i] = cubic(std::abs(rest + C{1} - static_cast<C>(i)));
      }
    }
  }

 private:
  static C cubic(C x) {
    constexpr C a = C{-0.75};
    if (x <= C{1}) return ((a + C{2}) * x - (a + C{3})) * x * x + C{1};
    return ((a * x - C{5} * a) * x + C{8} * a) * x - C{4} * a;
  }
  std::int64_t pixel(std::int64_t index) const {
    if (index >= 0 && index < size_) return index;
    if (padding_ == SamplePadding::zeros) return -1;
    if (padding_ == SamplePadding::border) return std::clamp<std::int64_t>(index, 0, size_ - 1);
    const auto place = static_cast<std::int64_t>(reflected(static_cast<C>(index), low_, high_));
    return std::clamp<std::int64_t>(place, 0, size_ - 1);
  }

  SampleMode mode_;
  SamplePadding padding_;
  bool align_corners_;
  std::int64_t size_;
  C low_;
  C high_;
};

}  // namespace ortool::cpu
