// No method is best for every model: clipping errs to one side, rounding to both.
#include "apps/ortool/quantize/choose_method.hpp"

#include <algorithm>

#include "apps/ortool/report/progress.hpp"

namespace ortool {
namespace {

/// Fitted weights turn the order of methods that are no further apart.
constexpr double close_db = 6;

bool comes_first(const MethodTrial& a, const MethodTrial& b) {
  if (a.preference() != b.preference()) return a.preference() > b.preference();
  return a.is_fitted && !b.is_fitted;
}

}  // namespace

PlanChoices with_method(PlanChoices choices, const Calibration& calibration,
                        CalibrationMethod method) {
  for (const auto& [value, record] : calibration.records()) choices.values[value].method = method;
  return choices;
}

std::vector<MethodTrial> try_methods(const CandidateMaker& maker, const FormJudge& judge,
                                     const Calibration& calibration, const PlanChoices& choices,
                                     const std::vector<CalibrationMethod>& methods) {
  const Invocation& invocation = maker.context().invocation;
  const Progress progress(invocation.options, invocation.messages, "choosing ranges");
  const auto try_one = [&](CalibrationMethod method, bool is_fitted) {
    PlanChoices tried = with_method(choices, calibration, method);
    tried.fits_weights = is_fitted;
    tried.stores_rest = false;
    const Candidate candidate = maker.make(tried);
    return MethodTrial{method, is_fitted, judge.sqnr_db(*candidate.model)};
  };
  std::vector<MethodTrial> trials;
  for (const CalibrationMethod method : methods) trials.push_back(try_one(method, false));
  std::stable_sort(trials.begin(), trials.end(), comes_first);
  const std::vector<MethodTrial> rough = trials;
  for (std::size_t i = 0; i < std::min<std::size_t>(rough.size(), 2); ++i) {
    const bool is_close = rough[i].preference() >= rough[0].preference() - close_db;
    if (i == 0 || is_close) trials.push_back(try_one(rough[i].method, true));
  }
  std::stable_sort(trials.begin(), trials.end(), comes_first);
  return trials;
}

}  // namespace ortool
