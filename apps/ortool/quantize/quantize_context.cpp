// Rules from options, and the two steps that all modes share.
#include "apps/ortool/quantize/quantize_context.hpp"

#include "libcore/quantize/choose_numbers.hpp"
#include "libcore/quantize/weight_only.hpp"

namespace ortool {

PlanRules rules_of(const QuantizeContext& context, const Calibration* calibration) {
  PlanRules rules;
  rules.is_per_channel = context.settings.is_per_channel;
  const NodePatterns& patterns = context.patterns;
  const bool is_dynamic = context.settings.mode == QuantizeMode::dynamically;
  rules.refusal = [&patterns, is_dynamic, calibration](const Node& node) -> std::string {
    std::string reason = patterns.refusal(node);
    if (reason.empty() && is_dynamic && node.op_type() == "Conv" && !patterns.is_wanted(node))
      return "convolutions whose ranges are taken while the model runs are slow (--only asks)";
    if (reason.empty() && calibration != nullptr && reads_unseen(node, *calibration))
      return "no calibration sample reached it";
    return reason;
  };
  rules.is_wanted = [&patterns](const Node& node) { return patterns.is_wanted(node); };
  return rules;
}

void store_rest(const QuantizeContext& context, Model& model, const QuantizePlan& plan) {
  WeightOnlyOptions options;
  options.weights.type = context.settings.weights;
  options.has_products = false;
  options.cap = &context.invocation.memory;
  quantize_weights_only(model, plan, options);
}

void compare_forms(const QuantizeContext& context, const Session& floats, const Model& model,
                   std::string_view option) {
  CalibrationData data(context.invocation, option, floats.model().graph->inputs(),
                       floats.outputs());
  const std::unique_ptr<Session> quantized =
      make_session(context.invocation, context.machine, model, OptimizeLevel::none);
  context.result.end_to_end =
      compare_models(context.invocation, context.machine, floats, *quantized, data);
}

}  // namespace ortool
