// Calibration method search: clipping errors are one-sided, rounding errors are not.
#include "libcore/quantize/search/choose_method.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"

namespace ortool {
namespace {

/// Weight fitting can reverse the order of methods within this distance.
constexpr double close_db = 6;

void sort_by_preference(std::vector<MethodTrial>& trials) {
  std::stable_sort(trials.begin(), trials.end(), [](const MethodTrial& a, const MethodTrial& b) {
    return a.preference() > b.preference();
  });
}

SampleRatios with_bonus(const MethodTrial& trial) {
  SampleRatios ratios = trial.ratios;
  for (double& ratio : ratios) ratio += trial.bonus();
  return ratios;
}

}  // namespace

std::string reason_of_preference(const std::vector<MethodTrial>& trials) {
  const MethodTrial& chosen = trials.front();
  const auto highest = std::max_element(trials.begin(), trials.end(),
                                        [](const MethodTrial& a, const MethodTrial& b) {
                                          return mean_of(a.ratios) < mean_of(b.ratios);
                                        });
  if (!(mean_of(highest->ratios) > mean_of(chosen.ratios))) return {};
  if (chosen.bonus() > highest->bonus())
    return format("{} is replaced only for a gain of {} dB: smaller ones do not hold on other data",
                  name_of(chosen.method), chosen.bonus());
  if (chosen.is_fitted && !highest->is_fitted)
    return "fitted weights are replaced only for a gain beyond chance";
  return "the difference is within chance";
}

PlanChoices with_method(PlanChoices choices, const Calibration& calibration,
                        CalibrationMethod method) {
  for (const auto& [value, record] : calibration.records()) choices.values[value].method = method;
  return choices;
}

std::vector<MethodTrial> try_methods(const CandidateBuilder& builder, const SqnrJudge& judge,
                                     const Calibration& calibration, const PlanChoices& choices,
                                     const std::vector<CalibrationMethod>& methods) {
  const TaskContext& task = builder.context().task;
  Progress progress(task, "choosing ranges");
  constexpr std::size_t max_fitted = 2;
  std::int64_t tried_methods = 0;
  const auto try_one = [&](CalibrationMethod method, bool is_fitted) {
    progress.tell_done(tried_methods++, static_cast<std::int64_t>(methods.size() + max_fitted));
    PlanChoices tried = with_method(choices, calibration, method);
    tried.weight_fit = is_fitted ? WeightRangeChoice::quick : WeightRangeChoice::nearest;
    tried.stores_rest = false;
    const Candidate candidate = builder.make(tried);
    return MethodTrial{method, is_fitted, judge.judge(*candidate.model)};
  };
  std::vector<MethodTrial> rough;
  for (const CalibrationMethod method : methods) rough.push_back(try_one(method, false));
  sort_by_preference(rough);
  std::vector<MethodTrial> fitted;
  for (const MethodTrial& trial : rough) {
    const bool is_close = trial.preference() >= rough.front().preference() - close_db;
    if (fitted.size() < max_fitted && is_close) fitted.push_back(try_one(trial.method, true));
  }
  sort_by_preference(fitted);
  const MethodTrial best = is_better(with_bonus(rough.front()), with_bonus(fitted.front()))
                               ? rough.front()
                               : fitted.front();
  std::vector<MethodTrial> trials = std::move(fitted);
  trials.insert(trials.end(), rough.begin(), rough.end());
  sort_by_preference(trials);
  const auto chosen = std::find_if(trials.begin(), trials.end(), [&](const MethodTrial& trial) {
    return trial.method == best.method && trial.is_fitted == best.is_fitted;
  });
  std::rotate(trials.begin(), chosen, chosen + 1);
  return trials;
}

}  // namespace ortool
