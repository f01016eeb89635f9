// Metric options: --metric with --labels and --detections, for run and quantize.
#pragma once

#include "apps/ortool/option.hpp"
#include "apps/ortool/option_values.hpp"
#include "libcore/dataset/metrics/metric_options.hpp"

namespace ortool {

/// --detections: the output layout of a detector.
OptionSpec detections_option();

/// The metric of --metric, if it is one of samples or of a whole data set, with what it needs.
/// Throws ErrorCode::invalid for invalid option values.
MetricOptions read_metric_options(const OptionValues& options);

/// Throws ErrorCode::invalid for --detections without --metric map.
void check_metric_options(const OptionValues& options);

}  // namespace ortool
