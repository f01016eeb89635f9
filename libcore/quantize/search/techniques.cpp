// Accuracy techniques: each is evaluated as a whole, with weights fitted, before it is kept.
#include "libcore/quantize/search/techniques.hpp"

#include <cmath>
#include <utility>

namespace ortool {
namespace {

constexpr Bar whole_bar{.least_db = 0.05, .deviations = 1};

/// Tables and the like take time to compress, and affect accuracy little.
PlanChoices without_rest(PlanChoices choices) {
  choices.stores_rest = false;
  return choices;
}

}  // namespace

Bar bar_of_measured(std::int64_t samples) {
  if (samples < 2) return {.least_db = 0.5, .deviations = 1};
  const auto count = static_cast<double>(samples);
  return {.least_db = 10 * std::log10((count + 1) / (count - 1)), .deviations = 1};
}

SampleRatios Techniques::judge(const CandidateMaker& maker, const PlanChoices& choices) const {
  return judge_.judge(*maker.make(choices).model);
}

bool Techniques::takes(std::string technique, SampleRatios ratios, Bar bar) {
  const bool is_kept = is_better(ratios, best_, bar);
  trials_.push_back({std::move(technique), {}, mean_of(ratios) - mean_of(best_), is_kept});
  if (is_kept) best_ = std::move(ratios);
  return is_kept;
}

std::optional<BalancedModel> Techniques::balance(const PreparedModel& prepared,
                                                 PlanChoices& choices) {
  PlanChoices tried = choices;
  trials_ = try_balance(context_, prepared, judge_, tried);
  std::optional<BalancedModel> balanced = balance_as_chosen(context_, prepared, tried);
  if (!balanced) return std::nullopt;
  StaticMaker maker(context_, *balanced->session, balanced->calibration.get(), prepared.data);
  const CandidateMaker candidates(context_, *balanced->model, maker);
  if (!takes("balance", judge(candidates, without_rest(tried)), whole_bar)) return std::nullopt;
  choices = std::move(tried);
  return balanced;
}

void Techniques::round(const CandidateMaker& maker, PlanChoices& choices) {
  PlanChoices tried = choices;
  tried.weight_fit = WeightFit::thorough;
  if (takes("rounding", judge(maker, without_rest(tried)), whole_bar)) choices = std::move(tried);
}

void Techniques::correct_biases(const CandidateMaker& maker, const Session& floats,
                                CalibrationData& data, BiasReach reach, PlanChoices& choices) {
  // Mean errors are those of the complete form.
  PlanChoices tried = choices;
  measure_shifts(maker, floats, data, reach, tried);
  best_ = judge(maker, choices);
  const Bar bar = judge_.is_apart() ? whole_bar : bar_of_measured(data.size());
  if (takes("bias", judge(maker, tried), bar)) choices = std::move(tried);
}

}  // namespace ortool
