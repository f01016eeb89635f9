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
  }
  return {};
}

bool counts_labels(BudgetMetric metric) {
  return metric == BudgetMetric::top1 || metric == BudgetMetric::top5;
}

}  // namespace ortool
