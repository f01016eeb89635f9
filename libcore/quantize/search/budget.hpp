// Accuracy budget: the metric that models are judged by, and its allowed drop.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "libcore/dataset/metrics/metric_options.hpp"

namespace ortool {

/// The accuracy metrics.
enum class BudgetMetric { top1, top5, cosine, sqnr, command, map, miou };

/// The accuracy metric and how much of it may be lost.
struct Budget {
  BudgetMetric metric = BudgetMetric::top1;
  std::string command;         ///< of `cmd:COMMAND`
  MetricOptions outputs = {};  ///< of `map` and `miou`
  std::optional<double> drop;  ///< the allowed drop; nothing: only measured
  bool is_share = false;       ///< `drop` was given in percent
};

std::string_view name_of(BudgetMetric metric);
/// Whether the metric is the share of correct labels.
bool counts_labels(BudgetMetric metric);
/// Whether the metric is a share from 0 to 1 by labels, annotations or masks.
bool is_share(BudgetMetric metric);

}  // namespace ortool
