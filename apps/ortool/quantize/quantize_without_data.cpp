// A plan, the writer of the mode, and what is odd about the result.
#include "apps/ortool/quantize/quantize_without_data.hpp"

#include <algorithm>
#include <optional>

#include "apps/ortool/quantize/keep_faster.hpp"
#include "apps/ortool/quantize/plan_file.hpp"
#include "apps/ortool/quantize/steering_report.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/quantize/scheme/dynamic.hpp"
#include "libcore/quantize/scheme/weight_only.hpp"

namespace ortool {
namespace {

/// Throws ErrorCode::invalid for choices of --plan that this mode has no use for.
void check_mode_choices(const QuantizeContext& context, const Model& model) {
  const auto fail = [&](const std::string& what) {
    throw Error(ErrorCode::invalid,
                format("{}, which --mode {} has no use for", what, name_of(context.settings.mode)),
                "take it out of the plan")
        .with_id("quantize.plan");
  };
  for (const auto& [name, choice] : context.choices.values)
    fail(format("the plan says how tensor {} is quantised", quote(name)));
  for (const auto& [name, choice] : context.choices.nodes) {
    if (choice.weight_type && *choice.weight_type != context.settings.weights.type)
      fail(format("the plan gives node {} a weight type of its own", quote(name)));
  }
  check_choices(context.invocation, context.choices, model, context.result.plan);
}

/// Products of `model` whose ranges are taken while it runs.
MadePlan make_dynamic(const QuantizeContext& context, Model& model, const PlanChoices& choices) {
  const NodeNames names = names_apart(model);
  QuantizePlan plan = make_plan(model, rules_of(context, nullptr, choices, names));
  MadePlan made;
  made.nodes = describe_plan(plan, names);
  WeightOptions weights;
  weights.type = context.settings.weights;
  static_cast<void>(
      quantize_dynamically(model, plan, weights, &context.invocation.memory, context.store));
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    made.nodes[i].is_quantized = plan.nodes[i].is_quantized;
    made.nodes[i].reason = plan.nodes[i].reason;
  }
  if (choices.stores_rest) store_rest(context, model, plan);
  return made;
}

/// The choices that --keep-faster makes on the first sample of --validation-data.
PlanChoices choose_faster(const QuantizeContext& context, const Model& model,
                          const Session& floats) {
  PlanChoices choices = context.choices;
  const CandidateMaker candidates(context, model, [&](Model& form, const PlanChoices& tried) {
    return make_dynamic(context, form, tried);
  });
  CalibrationData data(context.invocation, "validation-data", floats.model().graph->inputs(),
                       floats.outputs());
  Candidate candidate = candidates.make(choices);
  const KeptFaster times =
      keep_faster(candidates, floats, data.sample(0).inputs, choices, candidate);
  add_kept_faster(times, context.result);
  return choices;
}

void quantize_products(const QuantizeContext& context, Model& model, const Session* floats) {
  const bool keeps_faster = context.invocation.options.flag("keep-faster") && floats != nullptr;
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
    context.invocation.warn(
        "convolutions whose ranges are taken while the model runs are mostly slower than float "
        "ones: calibrate them (--mode static), or leave those in float that are (--keep-faster)");
  }
  if (std::none_of(nodes.begin(), nodes.end(), is_quantized))
    context.invocation.warn("no node is quantised: the model computes in floats, as it did");
}

void quantize_weights_alone(const QuantizeContext& context, Model& model) {
  const NodeNames names = names_apart(model);
  const QuantizePlan plan = make_plan(model, rules_of(context, nullptr, context.choices, names));
  WeightOnlyOptions options;
  options.weights.type = context.settings.weights;
  options.block_size = context.settings.block_size;
  options.has_block_products = context.settings.has_integer_operators;
  options.cap = &context.invocation.memory;
  options.store = context.store;
  context.result.plan.nodes = describe_plan(plan, names);
  check_mode_choices(context, model);
  for (ReportedNode& node : context.result.plan.nodes) {
    if (!node.is_quantized || node.has_weights) continue;
    node.is_quantized = false;
    node.reason = "it has no weights";
  }
  const std::int64_t tensors = quantize_weights_only(model, plan, options);
  if (tensors == 0) context.invocation.warn("there are no weights to make smaller");
}

}  // namespace

void quantize_without_data(const QuantizeContext& context, Model& model) {
  const OptionValues& options = context.invocation.options;
  const std::optional<Budget> budget = read_budget(options);
  std::unique_ptr<Session> floats;
  if (options.has("validation-data") || budget)
    floats = make_session(context.invocation, context.machine, model, OptimizeLevel::none);
  if (options.has("validation-data"))
    check_image_options(context.invocation, floats->model().graph->inputs(), floats->outputs());
  std::optional<Validation> validation;
  if (budget) validation.emplace(context, *budget, model, *floats);
  if (context.settings.mode == QuantizeMode::dynamically) {
    quantize_products(context, model, floats.get());
  } else {
    quantize_weights_alone(context, model);
  }
  if (options.has("validation-data")) compare_forms(context, *floats, model, "validation-data");
  if (!validation) return;
  SearchResult found;
  found.worth = validation->judge(model);
  add_search(*validation, found, context.result);
}

}  // namespace ortool
