// Quantization context: plan rules from options, and the two steps that all modes share.
#include "libcore/quantize/pipeline/quantize_context.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/quantize/scheme/group_params.hpp"
#include "libcore/quantize/scheme/weight_only.hpp"

namespace ortool {

PlanRules rules_of(const QuantizeContext& context, const Calibration* calibration,
                   const PlanChoices& choices, const NodeNames& names) {
  PlanRules rules;
  rules.is_per_channel = context.settings.is_per_channel;
  rules.takes_all_floats = context.settings.mode == QuantizeMode::weights_only;
  const NodePatterns& patterns = context.patterns;
  const bool is_dynamic = context.settings.mode == QuantizeMode::dynamically;
  rules.takes_recurrent = is_dynamic;
  const auto choice_of = [&choices, &names](const Node& node) -> const NodeChoice* {
    const auto found = choices.nodes.find(names.at(&node));
    return found != choices.nodes.end() ? &found->second : nullptr;
  };
  const auto is_wanted = [&patterns, choice_of](const Node& node) {
    const NodeChoice* choice = choice_of(node);
    return patterns.is_wanted(node) || (choice != nullptr && choice->is_quantized);
  };
  rules.is_wanted = is_wanted;
  rules.refusal = [&patterns, is_dynamic, calibration, choice_of,
                   is_wanted](const Node& node) -> std::string {
    std::string reason = patterns.refusal(node);
    if (!reason.empty()) return reason;
    const NodeChoice* choice = choice_of(node);
    if (choice != nullptr && !choice->is_quantized)
      return choice->reason.empty() ? "the plan keeps it in float" : choice->reason;
    if (is_dynamic && node.op_type() == "Conv" && !is_wanted(node))
      return format("convolutions with ranges computed at run time are slow ({} forces it)",
                    setting_name("only"));
    if (calibration != nullptr && reads_unseen(node, *calibration))
      return "no calibration sample reached it";
    return {};
  };
  rules.is_node_per_channel = [choice_of](const Node& node) -> std::optional<bool> {
    const NodeChoice* choice = choice_of(node);
    return choice != nullptr ? choice->is_per_channel : std::nullopt;
  };
  rules.weight_type = [choice_of](const Node& node) -> std::optional<DataType> {
    const NodeChoice* choice = choice_of(node);
    return choice != nullptr ? choice->weight_type : std::nullopt;
  };
  return rules;
}

std::int64_t store_rest(const QuantizeContext& context, Model& model, const QuantizePlan& plan) {
  WeightOnlyOptions options;
  options.weights.type = context.settings.weights;
  options.has_products = false;
  options.cap = &context.task.memory;
  options.store = context.store;
  return quantize_weights_only(model, plan, options);
}

void compare_with_float_model(const QuantizeContext& context, const Session& floats,
                              const Model& model, DataRole role) {
  CalibrationData data(context.task, context.data, role, floats.model().inputs(), floats.outputs());
  context.result.data_files.insert(data.files().begin(), data.files().end());
  context.result.end_to_end = compare_models(context.task, context.machine, floats, model, data);
}

namespace {

/// Null when one of its nodes has no kernel.
std::unique_ptr<Session> session_of_original(const QuantizeContext& context,
                                             const Model& original) {
  try {
    return make_session(context.task, context.machine, original,
                        level_of_comparison(context.task));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    context.task.warn(
        format("errors are relative to the prepared model, since the original cannot be run: {}",
               error.what()));
    return nullptr;
  }
}

/// The prepared model counts as the original where, on one sample in four, up to eight, it differs
/// from it by so much less than the quantized one.
constexpr double negligible_db = 40;
constexpr std::size_t checked_one_in = 4;
constexpr std::size_t max_checked = 8;

/// Replaces the result's output errors, which are relative to the prepared model, by those relative
/// to the original, unless these are the same.
void compare_runs(const QuantizeContext& context, const Session& original,
                  const std::vector<ComparedRun>& runs) {
  RunOptions options;
  options.threads = context.machine.threads;
  options.stop = &context.task.stop;
  std::vector<OutputError> errors = errors_of_outputs(original);
  std::vector<OutputError> prepared = errors;
  const std::size_t checked =
      std::clamp(runs.size() / checked_one_in, std::size_t{1}, max_checked);
  const auto add = [&](const ComparedRun& run) {
    const std::vector<RunValue> outputs = original.run(run.inputs, options);
    add_outputs(run.outputs, outputs, errors);
    add_outputs(run.expected, outputs, prepared);
  };
  for (std::size_t i = 0; i < checked; ++i) add(runs[i * runs.size() / checked]);
  if (checked < runs.size()) {
    bool is_negligible = true;
    for (std::size_t k = 0; k < errors.size(); ++k) {
      const double here = prepared[k].sums.sqnr_db();
      is_negligible =
          is_negligible && (std::isinf(here) || here > errors[k].sums.sqnr_db() + negligible_db);
    }
    if (is_negligible) return;
    errors = errors_of_outputs(original);
    for (const ComparedRun& run : runs) add(run);
  }
  context.result.end_to_end.outputs = std::move(errors);
}

}  // namespace

void compare_with_original(const QuantizeContext& context, const Model& original,
                           const Model& quantized) {
  const std::unique_ptr<Session> before = session_of_original(context, original);
  if (before == nullptr) return;
  EndToEnd& end_to_end = context.result.end_to_end;
  if (const std::vector<ComparedRun> runs = std::move(end_to_end.runs); !runs.empty()) {
    compare_runs(context, *before, runs);
    return;
  }
  const std::unique_ptr<Session> after =
      make_session(context.task, context.machine, quantized, level_of_comparison(context.task));
  // Weights may be among the inputs of the original.
  const Graph& graph = *after->model().graph;
  CalibrationData data(
      context.task, context.data,
      context.data.has(DataRole::validation) ? DataRole::validation : DataRole::calibration,
      graph.inputs(), after->outputs());
  context.result.data_files.insert(data.files().begin(), data.files().end());
  end_to_end.outputs =
      compare_outputs(context.task, context.machine, *before, *after, data, end_to_end.samples);
}

}  // namespace ortool
