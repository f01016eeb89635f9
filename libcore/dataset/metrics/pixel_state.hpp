// Pixel state: what mIoU counts of class maps and label images.
#pragma once

#include <cstdint>

#include "libcore/dataset/metrics/class_overlap.hpp"
#include "libcore/dataset/metrics/metric_state.hpp"
#include "libcore/dataset/metrics/output_metric.hpp"

namespace ortool {

struct PixelState {
  ClassOverlap overlap;
  std::int64_t samples = 0;
  std::int64_t ignored_pixels = 0;
  std::int64_t cropped_pixels = 0;

  MetricResult result() const;
  Json state() const;
  /// Adds the counts of a state.
  void add(const MetricState& state);
};

}  // namespace ortool
