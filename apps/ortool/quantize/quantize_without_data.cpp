// A plan, the writer of the mode, and what is odd about the result.
#include "apps/ortool/quantize/quantize_without_data.hpp"

#include <algorithm>

#include "apps/ortool/quantize/plan_file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/quantize/dynamic.hpp"
#include "libcore/quantize/weight_only.hpp"

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

void quantize_products(const QuantizeContext& context, Model& model) {
  const NodeNames names = names_apart(model);
  QuantizePlan plan = make_plan(model, rules_of(context, nullptr, context.choices, names));
  context.result.plan.nodes = describe_plan(plan, names);
  check_mode_choices(context, model);
  WeightOptions weights;
  weights.type = context.settings.weights;
  const std::int64_t replaced =
      quantize_dynamically(model, plan, weights, &context.invocation.memory);
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    context.result.plan.nodes[i].is_quantized = plan.nodes[i].is_quantized;
    context.result.plan.nodes[i].reason = plan.nodes[i].reason;
  }
  if (context.choices.stores_rest) store_rest(context, model, plan);
  context.result.stores_rest = context.choices.stores_rest;
  const std::vector<ReportedNode>& nodes = context.result.plan.nodes;
  const bool has_convolutions = std::any_of(
      nodes.begin(), nodes.end(),
      [](const ReportedNode& node) { return node.is_quantized && node.op_type == "Conv"; });
  if (has_convolutions) {
    context.invocation.warn(
        "convolutions whose ranges are taken while the model runs are mostly slower than float "
        "ones: calibrate them (--mode static), or measure with `ortool bench`");
  }
  if (replaced == 0)
    context.invocation.warn("no node could be quantised: the model stays as it is");
}

void quantize_weights_alone(const QuantizeContext& context, Model& model) {
  const NodeNames names = names_apart(model);
  const QuantizePlan plan = make_plan(model, rules_of(context, nullptr, context.choices, names));
  WeightOnlyOptions options;
  options.weights.type = context.settings.weights;
  options.block_size = context.settings.block_size;
  options.has_block_products = context.settings.has_integer_operators;
  options.cap = &context.invocation.memory;
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
  std::unique_ptr<Session> floats;
  if (context.invocation.options.has("validation-data"))
    floats = make_session(context.invocation, context.machine, model, OptimizeLevel::none);
  if (context.settings.mode == QuantizeMode::dynamically) {
    quantize_products(context, model);
  } else {
    quantize_weights_alone(context, model);
  }
  if (floats != nullptr) compare_forms(context, *floats, model, "validation-data");
}

}  // namespace ortool
