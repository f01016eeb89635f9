// Dynamic and weight-only quantization: plan, the mode's writer, and warnings.
#include "libcore/quantize/pipeline/quantize_without_data.hpp"

#include <algorithm>
#include <optional>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/quantize/pipeline/plan_file.hpp"
#include "libcore/quantize/scheme/dynamic.hpp"
#include "libcore/quantize/scheme/weight_only.hpp"
#include "libcore/quantize/search/below_sqnr_floor.hpp"
#include "libcore/quantize/search/keep_faster.hpp"
#include "libcore/quantize/search/max_drop.hpp"

namespace ortool {
namespace {

/// Throws ErrorCode::invalid for choices of --plan that do not apply to this mode.
void check_mode_choices(const QuantizeContext& context, const Model& model) {
  const auto fail = [&](const std::string& what) {
    throw Error(ErrorCode::invalid,
                format("{}, which {} {} does not use", what, setting_name("mode"),
                       name_of(context.settings.mode)),
                "remove it from the plan")
        .with_id("quantize.plan");
  };
  for (const auto& [name, choice] : context.choices.values)
    fail(format("the plan sets the quantization of tensor {}", quote(name)));
  for (const auto& [name, choice] : context.choices.nodes) {
    if (choice.weight_type && *choice.weight_type != context.settings.weights.type)
      fail(format("the plan sets the weight type of node {}", quote(name)));
  }
  check_choices(context.task, context.choices, model, context.result.plan);
}

/// Tensors keep the file of their store alive.
std::optional<QuantizedWeightStore> another_store(const QuantizeContext& context) {
  std::optional<QuantizedWeightStore> store;
  if (context.store != nullptr) store.emplace(context.store->another());
  return store;
}

/// Quantization of the weights of `model`, whose products stay in float: `tensors` of them.
MadePlan make_weights_only(const QuantizeContext& context, Model& model, const PlanChoices& choices,
                           std::int64_t& tensors) {
  const NodeNames names = names_apart(model);
  const QuantizePlan plan = make_plan(model, rules_of(context, nullptr, choices, names));
  std::optional<QuantizedWeightStore> store = another_store(context);
  WeightOnlyOptions options;
  options.weights.type = context.settings.weights;
  options.block_size = context.settings.block_size;
  options.has_block_products = context.settings.has_integer_operators;
  options.cap = &context.task.memory;
  options.store = store ? &*store : nullptr;
  MadePlan made;
  made.nodes = describe_plan(plan, names);
  for (ReportedNode& node : made.nodes) {
    if (!node.is_quantized || node.has_weights) continue;
    node.is_quantized = false;
    node.reason = "it has no weights";
  }
  tensors = quantize_weights_only(model, plan, options);
  return made;
}

/// One call: the choices left open, then the model.
class DatalessRun {
 public:
  DatalessRun(const QuantizeContext& context, Model& model);

  void run();

 private:
  MadePlan make(Model& model, const PlanChoices& choices);
  void choose();
  void keep_budget(Candidate& candidate);
  void warn_of_nodes() const;

  const QuantizeContext& context_;
  Model& model_;
  bool is_dynamic_;
  std::int64_t tensors_ = 0;         ///< of the last weight-only model
  std::unique_ptr<Session> floats_;  ///< null where nothing is measured
  std::optional<CalibrationData> data_;
  std::optional<Validation> validation_;
  CandidateBuilder candidates_;
  PlanChoices choices_;
};

DatalessRun::DatalessRun(const QuantizeContext& context, Model& model)
    : context_(context),
      model_(model),
      is_dynamic_(context.settings.mode == QuantizeMode::dynamically),
      candidates_(
          context, model,
          [this](Model& candidate, const PlanChoices& tried) { return make(candidate, tried); }),
      choices_(context.choices) {
  const bool has_validation = context.data.has(DataRole::validation);
  const std::optional<Budget>& budget = context.settings.budget;
  if (has_validation || budget)
    floats_ = make_session(context.task, context.machine, model, OptimizeLevel::none);
  if (has_validation) {
    const auto inputs = floats_->model().inputs();
    check_image_recipes(context.task, context.data, inputs, floats_->outputs());
    data_.emplace(context.task, context.data, DataRole::validation, inputs, floats_->outputs());
  }
  if (budget) validation_.emplace(context, *budget, model, *floats_);
}

MadePlan DatalessRun::make(Model& model, const PlanChoices& choices) {
  return is_dynamic_ ? make_dynamic(context_, model, choices)
                     : make_weights_only(context_, model, choices, tensors_);
}

void DatalessRun::choose() {
  const bool keeps_faster = context_.settings.keeps_faster && data_;
  if (!keeps_faster && !validation_) return;
  Candidate candidate = candidates_.make(choices_);
  if (keeps_faster)
    context_.result.kept_faster =
        keep_faster(candidates_, *floats_, data_->sample(0).inputs, choices_, candidate);
  if (validation_) keep_budget(candidate);
}

void DatalessRun::keep_budget(Candidate& candidate) {
  SearchResult found;
  if (context_.settings.budget->drop) {
    found = search_plan(candidates_, *floats_, data_ ? &*data_ : nullptr, *validation_, choices_,
                        candidate);
    // Products too small to be stored as integers are left: this is the float model.
    if (!is_dynamic_ && tensors_ == 0) found.is_within = false;
    context_.result.is_refused = !found.is_within;
  } else {
    found.model_score = validation_->judge(*candidate.model);
  }
  context_.result.budget = BudgetResult{validation_->accuracy(found.model_score), std::move(found)};
}

void DatalessRun::warn_of_nodes() const {
  const std::vector<ReportedNode>& nodes = context_.result.plan.nodes;
  const auto is_quantized = [](const ReportedNode& node) { return node.is_quantized; };
  if (!is_dynamic_) {
    if (tensors_ == 0) context_.task.warn("it has no weights to quantize");
    return;
  }
  if (std::none_of(nodes.begin(), nodes.end(), is_quantized))
    context_.task.warn("no node is quantized: the model still computes in float");
  const bool has_convolutions = std::any_of(
      nodes.begin(), nodes.end(),
      [](const ReportedNode& node) { return node.is_quantized && node.op_type == "Conv"; });
  if (has_convolutions && !context_.result.kept_faster) {
    context_.task.warn(
        format("convolutions with ranges computed at run time are mostly slower than float ones: "
               "calibrate them ({} static), or leave the slower ones in float ({})",
               setting_name("mode"), setting_name("keep-faster")));
  }
}

void DatalessRun::run() {
  choose();
  context_.result.plan = make(model_, choices_);
  context_.result.stores_rest = choices_.stores_rest;
  check_mode_choices(context_, model_);
  warn_of_nodes();
  if (!data_) return;
  compare_with_float_model(context_, *floats_, model_, DataRole::validation);
  warn_below_sqnr_floor(context_);
}

}  // namespace

MadePlan make_dynamic(const QuantizeContext& context, Model& model, const PlanChoices& choices) {
  const NodeNames names = names_apart(model);
  QuantizePlan plan = make_plan(model, rules_of(context, nullptr, choices, names));
  MadePlan made;
  made.nodes = describe_plan(plan, names);
  WeightOptions weights;
  weights.type = context.settings.weights;
  std::optional<QuantizedWeightStore> store = another_store(context);
  static_cast<void>(
      quantize_dynamically(model, plan, weights, &context.task.memory, store ? &*store : nullptr));
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    made.nodes[i].is_quantized = plan.nodes[i].is_quantized;
    made.nodes[i].reason = plan.nodes[i].reason;
  }
  if (choices.stores_rest) made.stored_rest = store_rest(context, model, plan);
  return made;
}

void quantize_without_data(const QuantizeContext& context, Model& model) {
  DatalessRun(context, model).run();
}

}  // namespace ortool
