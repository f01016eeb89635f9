// Names of accuracy metrics.
#include "libcore/quantize/search/budget.hpp"

namespace ortool {

std::string_view name_of(Judgement judgement) {
  switch (judgement) {
    case Judgement::top1:
      return "top1";
    case Judgement::top5:
      return "top5";
    case Judgement::cosine:
      return "cosine";
    case Judgement::sqnr:
      return "sqnr";
    case Judgement::command:
      return "cmd";
  }
  return {};
}

bool counts_labels(Judgement judgement) {
  return judgement == Judgement::top1 || judgement == Judgement::top5;
}

}  // namespace ortool
