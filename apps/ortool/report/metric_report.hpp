// Report of metrics over a whole data set: mAP and mIoU.
#pragma once

#include <optional>
#include <string>

#include "libcore/dataset/metrics/output_metric.hpp"
#include "libcore/json/json.hpp"

namespace ortool {

/// "map: 37.41 % over 500 images (...)", over several lines without the last line feed.
std::string metric_text(Metric metric, const MetricResult& result);

/// Sets metric, value and ci, and `detection` or `segmentation`; without a result the value is
/// null.
void add_metric(Metric metric, const std::optional<MetricResult>& result, Json& block);

}  // namespace ortool
