// Calibration method search: what was measured to be best, unless by chance.
#include "libcore/quantize/search/choose_method.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/base/strings/readable_number.hpp"

namespace ortool {
namespace {

/// What a form must gain over the one that is preferred: the least that the report shows, and two
/// standard errors.
constexpr RequiredGain bar{.min_db = 0.1, .deviations = 2};
/// A single sample has no standard error: other data often reverse smaller differences.
constexpr RequiredGain bar_of_one{.min_db = 3, .deviations = 2};

RequiredGain bar_of(const MethodTrial& trial) {
  return trial.ratios.size() > 1 ? bar : bar_of_one;
}

void sort_by_mean(std::vector<MethodTrial>& trials) {
  std::stable_sort(trials.begin(), trials.end(), [](const MethodTrial& a, const MethodTrial& b) {
    return mean_of(a.ratios) > mean_of(b.ratios);
  });
}

/// The best of `trials`, sorted by mean, that is better than `preferred` beyond chance; otherwise
/// `preferred`.
MethodTrial best_beyond_chance(const std::vector<MethodTrial>& trials,
                               const MethodTrial& preferred) {
  const auto best = std::find_if(trials.begin(), trials.end(), [&](const MethodTrial& trial) {
    return is_better(trial.ratios, preferred.ratios, bar_of(preferred));
  });
  return best != trials.end() ? *best : preferred;
}

}  // namespace

std::string reason_of_preference(const std::vector<MethodTrial>& trials) {
  const MethodTrial& chosen = trials.front();
  const auto highest = std::max_element(trials.begin(), trials.end(),
                                        [](const MethodTrial& a, const MethodTrial& b) {
                                          return mean_of(a.ratios) < mean_of(b.ratios);
                                        });
  const MeanGain gain = gain_of(highest->ratios, chosen.ratios);
  if (!(gain.db > 0)) return {};
  if (chosen.ratios.size() < 2)
    return format("a single sample decides only from {} dB on", bar_of_one.min_db);
  return format("a difference of {} dB is within chance: its standard error is {} dB",
                fixed_number(gain.db, 1), fixed_number(gain.error_db, 1));
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
  std::int64_t tried_methods = 0;
  const auto try_one = [&](CalibrationMethod method, bool is_fitted) {
    progress.tell_done(tried_methods++, static_cast<std::int64_t>(methods.size() + 1));
    PlanChoices tried = with_method(choices, calibration, method);
    tried.weight_fit = is_fitted ? WeightRangeChoice::quick : WeightRangeChoice::nearest;
    tried.stores_rest = false;
    const Candidate candidate = builder.make(tried);
    return MethodTrial{method, is_fitted, judge.judge(*candidate.model)};
  };
  std::vector<MethodTrial> trials;
  for (const CalibrationMethod method : methods) trials.push_back(try_one(method, false));
  const MethodTrial usual = trials.front();
  sort_by_mean(trials);
  const MethodTrial fitted = try_one(best_beyond_chance(trials, usual).method, true);
  const MethodTrial best = best_beyond_chance(trials, fitted);
  trials.push_back(fitted);
  sort_by_mean(trials);
  const auto chosen = std::find_if(trials.begin(), trials.end(), [&](const MethodTrial& trial) {
    return trial.method == best.method && trial.is_fitted == best.is_fitted;
  });
  std::rotate(trials.begin(), chosen, chosen + 1);
  return trials;
}

}  // namespace ortool
