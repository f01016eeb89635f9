// Each technique is judged as a whole, with weights fitted, before it is kept.
#include "apps/ortool/quantize/techniques.hpp"

#include <utility>

namespace ortool {
namespace {

constexpr Bar whole_bar{.least_db = 0.05, .deviations = 1};

}  // namespace

bool Techniques::takes(std::string technique, const CandidateMaker& maker, PlanChoices choices) {
  choices.stores_rest = false;
  const Candidate candidate = maker.make(choices);
  SampleRatios ratios = judge_.judge(*candidate.model);
  const bool is_kept = is_better(ratios, best_, whole_bar);
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
  if (!takes("balance", candidates, tried)) return std::nullopt;
  choices = std::move(tried);
  return balanced;
}

void Techniques::round(const CandidateMaker& maker, PlanChoices& choices) {
  PlanChoices tried = choices;
  tried.weight_fit = WeightFit::thorough;
  if (takes("rounding", maker, tried)) choices = std::move(tried);
}

void Techniques::correct_biases(const CandidateMaker& maker, const Session& floats,
                                CalibrationData& data, PlanChoices& choices) {
  PlanChoices tried = choices;
  measure_shifts(maker, floats, data, tried);
  if (takes("bias", maker, tried)) choices = std::move(tried);
}

}  // namespace ortool
