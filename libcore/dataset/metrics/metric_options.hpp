// Metric options: which metric a data set is evaluated by, and its ground truth.
#pragma once

#include <optional>
#include <string>

#include "libcore/dataset/metric.hpp"
#include "libcore/dataset/metrics/detection_options.hpp"

namespace ortool {

/// What a metric needs beside the samples.
struct MetricOptions {
  std::optional<Metric> metric = {};
  DetectionOptions detections = {};
  /// The annotations of Metric::map, or the folder of masks of Metric::miou; empty for map: the
  /// annotations in the folder of the samples.
  std::string labels = {};
};

/// Whether the metric has an OutputMetric: map and miou.
bool compares_outputs(std::optional<Metric> metric);

}  // namespace ortool
