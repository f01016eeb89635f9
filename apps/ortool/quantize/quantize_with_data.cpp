// Ranges first, then the model, then what it is worth.
#include "apps/ortool/quantize/quantize_with_data.hpp"

#include <algorithm>
#include <optional>

#include "apps/ortool/data/random_samples.hpp"
#include "apps/ortool/quantize/choose_method.hpp"
#include "apps/ortool/quantize/integer_operators.hpp"
#include "apps/ortool/quantize/own_test_data.hpp"
#include "apps/ortool/quantize/plan_file.hpp"
#include "apps/ortool/quantize/static_maker.hpp"
#include "apps/ortool/quantize/steering_report.hpp"
#include "apps/ortool/quantize/techniques.hpp"
#include "apps/ortool/report/stopwatch.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/quantize/refine/balance_channels.hpp"

namespace ortool {
namespace {

/// The prepared model as a value of its own, with everything that makes quantised ones of it.
class StaticRun {
 public:
  StaticRun(const QuantizeContext& context, Model& model)
      : context_(context),
        invocation_(context.invocation),
        model_(model),
        floats_(make_session(invocation_, context.machine, model, OptimizeLevel::none)) {
    const auto inputs = floats_->model().graph->inputs();
    check_image_options(invocation_, inputs, floats_->outputs());
    if (!context.settings.has_random_data && !invocation_.options.has("calibration-data")) return;
    data_.emplace(invocation_, "calibration-data", inputs, floats_->outputs());
    if (context.settings.has_random_data) tell_made_up(inputs);
  }

  void run();

 private:
  void tell_made_up(std::span<Value* const> inputs) const;
  void calibrate_values();
  void diagnose_data();
  PreparedModel prepared();
  void make_candidates();
  void adopt(BalancedModel balanced);
  void choose_forms(PlanChoices& choices);
  void compare(const Candidate& candidate, CalibrationData& data);
  void measure(const CandidateMaker& candidates, PlanChoices& choices, Candidate& candidate);
  void keep_budget(const CandidateMaker& candidates, PlanChoices& choices, Candidate& candidate);
  void advise(const CandidateMaker& candidates, CalibrationData& data, const PlanChoices& choices,
              const Candidate& candidate);

  const QuantizeContext& context_;
  Invocation& invocation_;
  Model& model_;
  std::unique_ptr<Session> floats_;
  std::unique_ptr<Session> unbalanced_;  ///< before channels were balanced; data know its inputs
  std::optional<CalibrationData> data_;
  std::optional<Calibration> calibration_;
  std::optional<StaticMaker> maker_;
  std::optional<CandidateMaker> candidates_;
  std::optional<KeptFaster> times_;
};

void StaticRun::tell_made_up(std::span<Value* const> inputs) const {
  invocation_.warn(
      "calibrated with made-up inputs: their ranges say little about those of real data, and the "
      "errors told are not those of real data either (--calibration-data)");
  const std::string guessed = guessed_sizes({invocation_, inputs, floats_->outputs(), {}});
  if (!guessed.empty())
    invocation_.warn(format("taken as 1, since not given: {} (--dim sets symbols)", guessed));
}

void StaticRun::calibrate_values() {
  if (!data_ && !context_.cache.is_used()) return;
  const Stopwatch watch;
  const NodeNames names = names_apart(model_);
  // All that a plan may ask about, whatever this one leaves out.
  const PlanChoices nothing;
  const QuantizePlan plan = make_plan(model_, rules_of(context_, nullptr, nothing, names));
  calibration_ =
      calibrate(invocation_, context_.machine, *floats_, data_ ? &*data_ : nullptr,
                context_.settings, plan, context_.result.preparation.clues, context_.cache);
  context_.result.calibration_ms = watch.milliseconds();
  context_.result.samples = calibration_->samples().count();
}

void StaticRun::diagnose_data() {
  if (!calibration_) return;
  ChosenRanges ranges;
  for (const ChosenValue& value : context_.result.plan.chosen) {
    if (calibration_->find(value.name) != nullptr) ranges.emplace(value.name, value.chosen);
  }
  const InputEvidence evidence{
      context_.result.preparation.clues,
      ranges_of_own_pictures(context_.model_path, model_.graph->inputs(), invocation_.memory),
      context_.result.end_to_end.labels};
  context_.result.diagnosis = diagnose(*calibration_, ranges, evidence);
  const Diagnosis& found = context_.result.diagnosis;
  if (found.input_range_mismatch) invocation_.warn(*found.input_range_mismatch);
  if (!found.settled_after_samples) {
    invocation_.warn(format("{} samples do not settle the ranges: more data would move the scales",
                            found.samples));
  }
  for (const OutlierSample& outlier : found.outliers) {
    invocation_.warn(format("sample {} reaches {} times beyond the others at {}", outlier.sample,
                            fixed_number(outlier.factor, 1), quote(outlier.worst_value)));
  }
}

PreparedModel StaticRun::prepared() {
  return {model_, *floats_, calibration_ ? &*calibration_ : nullptr, data_ ? &*data_ : nullptr};
}

void StaticRun::make_candidates() {
  maker_.emplace(context_, *floats_, calibration_ ? &*calibration_ : nullptr,
                 data_ ? &*data_ : nullptr);
  candidates_.emplace(context_, model_, *maker_);
}

void StaticRun::adopt(BalancedModel balanced) {
  candidates_.reset();
  maker_.reset();
  balance_channels(model_, balanced.groups);
  unbalanced_ = std::move(floats_);
  floats_ = std::move(balanced.session);
  if (balanced.calibration) calibration_ = std::move(*balanced.calibration);
  make_candidates();
}

/// What suits this model, of what nobody said.
void StaticRun::choose_forms(PlanChoices& choices) {
  const OptionValues& options = invocation_.options;
  if (!data_ || !calibration_ || options.has("plan") || context_.settings.recipe == "fast") return;
  const bool is_said = options.has("calibration-method");
  std::vector<CalibrationMethod> methods = {CalibrationMethod::mse, CalibrationMethod::automatic,
                                            CalibrationMethod::percentile,
                                            CalibrationMethod::minmax};
  if (is_said) methods = {context_.settings.method.method};
  const FormJudge judge(context_, model_, *data_);
  const std::vector<MethodTrial> forms =
      try_methods(*candidates_, judge, *calibration_, choices, methods);
  const MethodTrial& best = forms.front();
  add_method_trials(forms, context_.result);
  choices.weight_fit = best.is_fitted ? WeightFit::quick : WeightFit::nearest;
  if (!is_said) choices = with_method(std::move(choices), *calibration_, best.method);
  const bool does_all = context_.settings.recipe == "max";
  if (!does_all && judge.is_apart()) return;
  Techniques techniques(context_, judge, best.ratios);
  if (does_all) {
    if (auto balanced = techniques.balance(prepared(), choices)) adopt(std::move(*balanced));
    techniques.round(*candidates_, choices);
  }
  techniques.correct_biases(*candidates_, *floats_, *data_, BiasReach::last, choices);
  if (does_all) techniques.correct_biases(*candidates_, *floats_, *data_, BiasReach::all, choices);
  add_techniques(techniques.trials(), context_.result);
}

void StaticRun::compare(const Candidate& candidate, CalibrationData& data) {
  const auto session =
      make_session(invocation_, context_.machine, *candidate.model, OptimizeLevel::none);
  context_.result.end_to_end =
      compare_models(invocation_, context_.machine, *floats_, *session, data);
}

void StaticRun::measure(const CandidateMaker& candidates, PlanChoices& choices,
                        Candidate& candidate) {
  if (!data_ || !invocation_.options.flag("keep-faster")) return;
  times_ = keep_faster(candidates, *floats_, data_->sample(0).inputs, choices, candidate);
}

void StaticRun::keep_budget(const CandidateMaker& candidates, PlanChoices& choices,
                            Candidate& candidate) {
  const std::optional<Budget> budget = read_budget(invocation_.options);
  if (!budget) return;
  const Validation validation(context_, *budget, model_, *floats_);
  SearchResult found;
  if (budget->drop) {
    found = search_plan(candidates, *floats_, data_ ? &*data_ : nullptr, validation, choices,
                        candidate);
  } else {
    found.worth = validation.judge(*candidate.model);
  }
  if (!found.left.empty()) {
    // Clusters that were split may not be worth it any more.
    measure(candidates, choices, candidate);
    found.worth = validation.judge(*candidate.model);
    found.is_within = validation.is_within(found.worth);
  }
  context_.result.is_refused = !found.is_within;
  add_search(validation, found, context_.result);
}

void StaticRun::advise(const CandidateMaker& candidates, CalibrationData& data,
                       const PlanChoices& choices, const Candidate& candidate) {
  add_suggestions(suggest_exclusions(candidates, *floats_, data, choices, candidate,
                                     context_.result.end_to_end),
                  context_.result);
}

void StaticRun::run() {
  calibrate_values();
  if (context_.settings.calibrates_only) return;
  PlanChoices choices = context_.choices;
  make_candidates();
  if (auto balanced = balance_as_chosen(context_, prepared(), choices)) adopt(std::move(*balanced));
  choose_forms(choices);
  const CandidateMaker& candidates = *candidates_;
  maker_->fit_to_all();
  Candidate candidate = candidates.make(choices);
  maker_->forget_others();
  check_choices(invocation_, choices, model_, candidate.plan);
  const bool is_fast = context_.settings.recipe == "fast";
  const OptionValues& options = invocation_.options;
  const bool has_validation = invocation_.options.has("validation-data");
  std::optional<CalibrationData> judged;
  if (has_validation || data_) {
    judged.emplace(invocation_, has_validation ? "validation-data" : "calibration-data",
                   floats_->model().graph->inputs(), floats_->outputs());
    compare(candidate, *judged);
  }
  if (judged && !is_fast && !options.has("plan"))
    leave_beyond_use(candidates, *floats_, *judged, choices, candidate, context_.result.end_to_end);
  measure(candidates, choices, candidate);
  keep_budget(candidates, choices, candidate);
  const bool has_changed = options.has("max-drop") || options.flag("keep-faster");
  if (judged && has_changed) compare(candidate, *judged);
  if (judged && !is_fast && !context_.result.is_refused)
    advise(candidates, *judged, choices, candidate);
  context_.result.plan = maker_->make(model_, choices);
  context_.result.stores_rest = choices.stores_rest;
  context_.result.weight_fit = choices.weight_fit;
  context_.result.balance = choices.balance;
  if (times_) add_kept_faster(*times_, context_.result);
  const std::vector<ReportedNode>& nodes = context_.result.plan.nodes;
  if (std::none_of(nodes.begin(), nodes.end(), [](const auto& node) { return node.is_quantized; }))
    invocation_.warn("no node is quantised: the model computes in floats, as it did");
  diagnose_data();
  if (!context_.settings.has_integer_operators) return;
  std::string_view judging = has_validation ? "validation-data" : "";
  if (judging.empty() && data_) judging = "calibration-data";
  use_integers(context_, *floats_, model_, judging);
}

}  // namespace

void quantize_with_data(const QuantizeContext& context, Model& model) {
  StaticRun(context, model).run();
}

}  // namespace ortool
