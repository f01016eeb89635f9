// Static quantization: calibrates, builds the quantized model, then evaluates it.
#include "libcore/quantize/pipeline/quantize_with_data.hpp"

#include <algorithm>
#include <optional>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/base/stopwatch.hpp"
#include "libcore/base/strings/readable_number.hpp"
#include "libcore/dataset/random_samples.hpp"
#include "libcore/quantize/calibrate/own_test_data.hpp"
#include "libcore/quantize/pipeline/compare_dynamic.hpp"
#include "libcore/quantize/pipeline/integer_operators.hpp"
#include "libcore/quantize/pipeline/plan_file.hpp"
#include "libcore/quantize/refine/balance_channels.hpp"
#include "libcore/quantize/search/below_sqnr_floor.hpp"
#include "libcore/quantize/search/choose_method.hpp"
#include "libcore/quantize/search/keep_faster.hpp"
#include "libcore/quantize/search/max_drop.hpp"
#include "libcore/quantize/search/static_quantizer.hpp"
#include "libcore/quantize/search/stored_rest.hpp"
#include "libcore/quantize/search/techniques.hpp"

namespace ortool {
namespace {

/// Whose intermediate values are compared.
constexpr std::int64_t fast_samples_by_value = 1;

/// The prepared model with everything that quantized models are built from.
class StaticRun {
 public:
  StaticRun(const QuantizeContext& context, Model& model)
      : context_(context),
        task_(context.task),
        model_(model),
        floats_(make_session(task_, context.machine, model, OptimizeLevel::none)) {
    const auto inputs = floats_->model().inputs();
    check_image_recipes(task_, context.data, inputs, floats_->outputs());
    if (!context.settings.has_random_data && !context.data.has(DataRole::calibration)) return;
    data_.emplace(task_, context.data, DataRole::calibration, inputs, floats_->outputs());
    context_.result.data_files.insert(data_->files().begin(), data_->files().end());
    if (context.settings.has_random_data) note_random_inputs(inputs);
  }

  void run();
  void calibrate_values();
  std::optional<Calibration> take_calibration() { return std::move(calibration_); }

 private:
  void note_random_inputs(std::span<Value* const> inputs) const;
  void diagnose_data();
  PreparedModel prepared();
  void make_candidates();
  void adopt(BalancedModel balanced);
  void choose_techniques(PlanChoices& choices);
  void compare(const Candidate& candidate, CalibrationData& data);
  void measure(const CandidateBuilder& candidates, PlanChoices& choices, Candidate& candidate);
  void keep_budget(const CandidateBuilder& candidates, PlanChoices& choices, Candidate& candidate);
  void advise(const CandidateBuilder& candidates, CalibrationData& data, const PlanChoices& choices,
              const Candidate& candidate);

  const QuantizeContext& context_;
  const TaskContext& task_;
  Model& model_;
  std::unique_ptr<Session> floats_;
  std::unique_ptr<Session> unbalanced_;  ///< before balancing; data are read by its inputs
  std::optional<CalibrationData> data_;
  std::optional<Calibration> calibration_;
  std::optional<StaticQuantizer> builder_;
  std::optional<CandidateBuilder> candidates_;
  std::optional<FasterClusters> times_;
};

void StaticRun::note_random_inputs(std::span<Value* const> inputs) const {
  task_.warn(
      format("calibrated with random inputs: their ranges say little about those of real data, and "
             "neither do the reported errors ({})",
             setting_name("calibration-data")));
  const std::string guessed =
      guessed_sizes({task_, inputs, floats_->outputs(), {}, context_.data.random});
  if (!guessed.empty())
    task_.note(format("dimensions set to 1, since not given: {} ({} sets them)", guessed,
                      setting_name("dim")));
}

void StaticRun::calibrate_values() {
  if (!data_ && !context_.cache.is_used()) return;
  const Stopwatch watch;
  const NodeNames names = names_apart(model_);
  // All values that any plan may need, independent of this plan's exclusions.
  const PlanChoices nothing;
  const QuantizePlan plan = make_plan(model_, rules_of(context_, nullptr, nothing, names));
  calibration_ =
      calibrate(task_, context_.machine, *floats_, data_ ? &*data_ : nullptr, context_.settings,
                plan, context_.result.preparation.model_evidence, context_.cache);
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
      context_.result.preparation.model_evidence,
      ranges_of_own_pictures(context_.model_path, model_.inputs(), task_.memory),
      context_.result.end_to_end.labels};
  context_.result.diagnosis = diagnose(*calibration_, ranges, evidence);
  const Diagnosis& found = context_.result.diagnosis;
  if (found.input_range_mismatch) task_.warn(*found.input_range_mismatch);
  if (!found.converged_after_samples) {
    task_.warn(
        format("the ranges have not converged after {} samples: more data would change the scales",
               found.samples));
  }
  for (const OutlierSample& outlier : found.outliers) {
    task_.warn(format("sample {} is {} times larger than the others at {}", outlier.sample,
                      fixed_number(outlier.factor, 1), quote(outlier.worst_value)));
  }
}

PreparedModel StaticRun::prepared() {
  return {model_, *floats_, calibration_ ? &*calibration_ : nullptr, data_ ? &*data_ : nullptr};
}

void StaticRun::make_candidates() {
  builder_.emplace(context_, *floats_, calibration_ ? &*calibration_ : nullptr,
                   data_ ? &*data_ : nullptr);
  candidates_.emplace(context_, model_, *builder_);
}

void StaticRun::adopt(BalancedModel balanced) {
  candidates_.reset();
  builder_.reset();
  balance_channels(model_, balanced.groups);
  unbalanced_ = std::move(floats_);
  floats_ = std::move(balanced.session);
  if (balanced.calibration) calibration_ = std::move(*balanced.calibration);
  make_candidates();
}

/// Searches for the choices that the caller left open.
void StaticRun::choose_techniques(PlanChoices& choices) {
  if (!data_ || !calibration_ || context_.settings.follows_plan ||
      context_.settings.recipe == "fast")
    return;
  const bool is_said = context_.settings.has_chosen_method;
  std::vector<CalibrationMethod> methods = {CalibrationMethod::mse, CalibrationMethod::automatic,
                                            CalibrationMethod::percentile,
                                            CalibrationMethod::minmax};
  if (is_said) methods = {context_.settings.method.method};
  const SqnrJudge judge(context_, model_, *floats_, *data_);
  const std::vector<MethodTrial> forms =
      try_methods(*candidates_, judge, *calibration_, choices, methods);
  const MethodTrial& best = forms.front();
  context_.result.methods = forms;
  context_.result.chosen_method = best.method;
  choices.weight_fit = best.is_fitted ? WeightRangeChoice::quick : WeightRangeChoice::nearest;
  if (!is_said) choices = with_method(std::move(choices), *calibration_, best.method);
  const bool does_all = context_.settings.recipe == "max";
  if (!does_all && judge.is_apart()) return;
  Techniques techniques(context_, judge, best.ratios);
  if (does_all) {
    if (auto balanced = techniques.balance(prepared(), choices)) adopt(std::move(*balanced));
    techniques.round(*candidates_, choices);
  }
  techniques.correct_biases(*candidates_, *floats_, *data_, BiasCorrectionScope::last, choices);
  if (does_all)
    techniques.correct_biases(*candidates_, *floats_, *data_, BiasCorrectionScope::all, choices);
  context_.result.techniques = techniques.trials();
}

void StaticRun::compare(const Candidate& candidate, CalibrationData& data) {
  const bool is_fast = context_.settings.recipe == "fast";
  context_.result.end_to_end =
      compare_models(task_, context_.machine, *floats_, *candidate.model, data,
                     is_fast ? fast_samples_by_value : samples_by_value);
}

void StaticRun::measure(const CandidateBuilder& candidates, PlanChoices& choices,
                        Candidate& candidate) {
  if (!data_ || !context_.settings.keeps_faster) return;
  times_ = keep_faster(candidates, *floats_, data_->sample(0).inputs, choices, candidate);
}

void StaticRun::keep_budget(const CandidateBuilder& candidates, PlanChoices& choices,
                            Candidate& candidate) {
  const std::optional<Budget>& budget = context_.settings.budget;
  if (!budget) return;
  const Validation validation(context_, *budget, model_, *floats_);
  SearchResult found;
  if (budget->drop) {
    found = search_plan(candidates, *floats_, data_ ? &*data_ : nullptr, validation, choices,
                        candidate);
  } else {
    found.model_score = validation.judge(*candidate.model);
  }
  if (!found.left.empty()) {
    // Clusters that were split may no longer be worth quantizing.
    measure(candidates, choices, candidate);
    found.model_score = validation.judge(*candidate.model);
    found.is_within = validation.is_within(found.model_score);
  }
  context_.result.is_refused = !found.is_within;
  context_.result.budget = BudgetResult{validation.accuracy(found.model_score), std::move(found)};
}

void StaticRun::advise(const CandidateBuilder& candidates, CalibrationData& data,
                       const PlanChoices& choices, const Candidate& candidate) {
  context_.result.suggestions = suggest_exclusions(candidates, *floats_, data, choices, candidate,
                                                   context_.result.end_to_end);
}

void StaticRun::run() {
  calibrate_values();
  PlanChoices choices = context_.choices;
  make_candidates();
  if (auto balanced = balance_as_chosen(context_, prepared(), choices)) adopt(std::move(*balanced));
  choose_techniques(choices);
  const CandidateBuilder& candidates = *candidates_;
  builder_->fit_to_all();
  Candidate candidate = candidates.make(choices);
  check_choices(task_, choices, model_, candidate.plan);
  const bool is_fast = context_.settings.recipe == "fast";
  const bool has_validation = context_.data.has(DataRole::validation);
  std::optional<CalibrationData> validation;
  if (has_validation) {
    validation.emplace(task_, context_.data, DataRole::validation, floats_->model().inputs(),
                       floats_->outputs());
    context_.result.data_files.insert(validation->files().begin(), validation->files().end());
  }
  CalibrationData* const calibration = data_ ? &*data_ : nullptr;
  CalibrationData* const judged = validation ? &*validation : calibration;
  if (judged != nullptr) {
    judged->keep_outputs_of(*floats_);
    compare(candidate, *judged);
    if (!context_.settings.follows_plan)
      leave_rest_in_float(candidates, *floats_, *judged, choices, candidate,
                          context_.result.end_to_end);
  }
  if (judged != nullptr && !is_fast && !context_.settings.follows_plan)
    exclude_below_sqnr_floor(candidates, *floats_, *judged, choices, candidate,
                             context_.result.end_to_end);
  measure(candidates, choices, candidate);
  keep_budget(candidates, choices, candidate);
  const bool has_changed = (context_.settings.budget && context_.settings.budget->drop) ||
                           context_.settings.keeps_faster;
  if (judged != nullptr && has_changed) compare(candidate, *judged);
  if (judged != nullptr) warn_below_sqnr_floor(context_);
  if (judged != nullptr && !is_fast && !context_.result.is_refused)
    advise(candidates, *judged, choices, candidate);
  if (judged != nullptr && !context_.settings.follows_plan && !context_.result.is_refused)
    warn_if_dynamic_is_better(context_, *floats_, model_, *candidate.model, *judged);
  context_.result.plan = builder_->make(model_, choices);
  context_.result.stores_rest = choices.stores_rest;
  context_.result.weight_fit = choices.weight_fit;
  context_.result.balance = choices.balance;
  context_.result.kept_faster = times_;
  const std::vector<ReportedNode>& nodes = context_.result.plan.nodes;
  if (std::none_of(nodes.begin(), nodes.end(), [](const auto& node) { return node.is_quantized; }))
    task_.warn("no node is quantized: the model still computes in float");
  diagnose_data();
  if (!context_.settings.has_integer_operators) return;
  DataRole judging = has_validation ? DataRole::validation : DataRole::none;
  if (judging == DataRole::none && data_) judging = DataRole::calibration;
  use_integers(context_, *floats_, model_, judging);
}

}  // namespace

void quantize_with_data(const QuantizeContext& context, Model& model) {
  StaticRun(context, model).run();
}

std::optional<Calibration> calibrate_with_data(const QuantizeContext& context, Model& model) {
  StaticRun run(context, model);
  run.calibrate_values();
  return run.take_calibration();
}

}  // namespace ortool
