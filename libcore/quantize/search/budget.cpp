// Names of accuracy metrics.
#include "libcore/quantize/search/budget.hpp"

namespace ortool {

std::string_view name_of(BudgetMetric metric) {
  switch (metric) {
    case BudgetMetric::top1:
      return "top1";
    case BudgetMetric::top5:
      return "top5";
    case BudgetMetric::cosine:
      return "cosine";
    case BudgetMetric::sqnr:
      return "sqnr";
    case BudgetMetric::command:
      return "cmd";
    case BudgetMetric::map:
      return "map";
    case BudgetMetric::miou:
      return "miou";
  }
  return {};
}

bool counts_labels(BudgetMetric metric) {
  return metric == BudgetMetric::top1 || metric == BudgetMetric::top5;
}

bool is_share(BudgetMetric metric) {
  return counts_labels(metric) || metric == BudgetMetric::map || metric == BudgetMetric::miou;
}

}  // namespace ortool
