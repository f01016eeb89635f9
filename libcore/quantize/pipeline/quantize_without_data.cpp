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

/// Dynamic quantization of the products of `model`.
MadePlan make_dynamic(const QuantizeContext& context, Model& model, const PlanChoices& choices) {
  const NodeNames names = names_apart(model);
  QuantizePlan plan = make_plan(model, rules_of(context, nullptr, choices, names));
  MadePlan made;
  made.nodes = describe_plan(plan, names);
  WeightOptions weights;
  weights.type = context.settings.weights;
  static_cast<void>(
      quantize_dynamically(model, plan, weights, &context.task.memory, context.store));
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    made.nodes[i].is_quantized = plan.nodes[i].is_quantized;
    made.nodes[i].reason = plan.nodes[i].reason;
  }
  if (choices.stores_rest) store_rest(context, model, plan);
  return made;
}

/// The choices made by --keep-faster on the first sample of --validation-data.
PlanChoices choose_faster(const QuantizeContext& context, const Model& model,
                          const Session& floats) {
  PlanChoices choices = context.choices;
  const CandidateBuilder candidates(context, model,
                                    [&](Model& candidate, const PlanChoices& tried) {
                                      return make_dynamic(context, candidate, tried);
                                    });
  CalibrationData data(context.task, context.data, DataRole::validation, floats.model().inputs(),
                       floats.outputs());
  Candidate candidate = candidates.make(choices);
  context.result.kept_faster =
      keep_faster(candidates, floats, data.sample(0).inputs, choices, candidate);
  return choices;
}

void quantize_products(const QuantizeContext& context, Model& model, const Session* floats) {
  const bool keeps_faster = context.settings.keeps_faster && floats != nullptr;
  const PlanChoices choices =
      keeps_faster ? choose_faster(context, model, *floats) : context.choices;
  context.result.plan = make_dynamic(context, model, choices);
  context.result.stores_rest = choices.stores_rest;
  check_mode_choices(context, model);
  const std::vector<ReportedNode>& nodes = context.result.plan.nodes;
  const auto is_quantized = [](const ReportedNode& node) { return node.is_quantized; };
  const bool has_convolutions = std::any_of(
      nodes.begin(), nodes.end(),
      [](const ReportedNode& node) { return node.is_quantized && node.op_type == "Conv"; });
  if (has_convolutions && !keeps_faster) {
    context.task.warn(
        format("convolutions with ranges computed at run time are mostly slower than float ones: "
               "calibrate them ({} static), or leave the slower ones in float ({})",
               setting_name("mode"), setting_name("keep-faster")));
  }
  if (std::none_of(nodes.begin(), nodes.end(), is_quantized))
    context.task.warn("no node is quantized: the model still computes in float");
}

void quantize_weights_alone(const QuantizeContext& context, Model& model) {
  const NodeNames names = names_apart(model);
  const QuantizePlan plan = make_plan(model, rules_of(context, nullptr, context.choices, names));
  WeightOnlyOptions options;
  options.weights.type = context.settings.weights;
  options.block_size = context.settings.block_size;
  options.has_block_products = context.settings.has_integer_operators;
  options.cap = &context.task.memory;
  options.store = context.store;
  context.result.plan.nodes = describe_plan(plan, names);
  check_mode_choices(context, model);
  for (ReportedNode& node : context.result.plan.nodes) {
    if (!node.is_quantized || node.has_weights) continue;
    node.is_quantized = false;
    node.reason = "it has no weights";
  }
  const std::int64_t tensors = quantize_weights_only(model, plan, options);
  if (tensors == 0) context.task.warn("it has no weights to quantize");
}

}  // namespace

void quantize_without_data(const QuantizeContext& context, Model& model) {
  const bool has_validation = context.data.has(DataRole::validation);
  const std::optional<Budget>& budget = context.settings.budget;
  std::unique_ptr<Session> floats;
  if (has_validation || budget)
    floats = make_session(context.task, context.machine, model, OptimizeLevel::none);
  if (has_validation)
    check_image_recipes(context.task, context.data, floats->model().inputs(), floats->outputs());
  std::optional<Validation> validation;
  if (budget) validation.emplace(context, *budget, model, *floats);
  if (context.settings.mode == QuantizeMode::dynamically) {
    quantize_products(context, model, floats.get());
  } else {
    quantize_weights_alone(context, model);
  }
  if (has_validation) compare_with_float_model(context, *floats, model, DataRole::validation);
  if (!validation) return;
  SearchResult found;
  found.model_score = validation->judge(model);
  context.result.budget = BudgetResult{validation->accuracy(found.model_score), std::move(found)};
}

}  // namespace ortool
