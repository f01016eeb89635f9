// Accuracy techniques: each is evaluated as a whole, with weights fitted, before it is kept.
#include "libcore/quantize/search/techniques.hpp"

#include <cmath>
#include <utility>

namespace ortool {
namespace {

constexpr RequiredGain whole_bar{.min_db = 0.05, .deviations = 1};

/// Tables and the like take time to compress, and affect accuracy little.
PlanChoices without_rest(PlanChoices choices) {
  choices.stores_rest = false;
  return choices;
}

}  // namespace

RequiredGain bar_of_measured(std::int64_t samples) {
  if (samples < 2) return {.min_db = 0.5, .deviations = 1};
  const auto count = static_cast<double>(samples);
  return {.min_db = 10 * std::log10((count + 1) / (count - 1)), .deviations = 1};
}

SampleRatios Techniques::judge(const CandidateBuilder& builder, const PlanChoices& choices) const {
  return judge_.judge(*builder.make(choices).model);
}

bool Techniques::takes(std::string technique, SampleRatios ratios, RequiredGain bar) {
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
  StaticQuantizer builder(context_, *balanced->session, balanced->calibration.get(), prepared.data);
  const CandidateBuilder candidates(context_, *balanced->model, builder);
  if (!takes("balance", judge(candidates, without_rest(tried)), whole_bar)) return std::nullopt;
  choices = std::move(tried);
  return balanced;
}

void Techniques::round(const CandidateBuilder& builder, PlanChoices& choices) {
  PlanChoices tried = choices;
  tried.weight_fit = WeightRangeChoice::thorough;
  if (takes("rounding", judge(builder, without_rest(tried)), whole_bar)) choices = std::move(tried);
}

void Techniques::correct_biases(const CandidateBuilder& builder, const Session& floats,
                                CalibrationData& data, BiasCorrectionScope reach,
                                PlanChoices& choices) {
  // Mean errors are those of the complete form.
  PlanChoices tried = choices;
  measure_shifts(builder, floats, data, reach, tried);
  const Candidate before = builder.make(choices);
  if (before.plan.stored_rest > 0) best_ = judge_.judge(*before.model);
  const RequiredGain bar = judge_.is_apart() ? whole_bar : bar_of_measured(data.size());
  if (takes("bias", judge(builder, tried), bar)) choices = std::move(tried);
}

}  // namespace ortool
