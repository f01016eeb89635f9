// The steps of the command in their order, and what each adds to the report.
#include "apps/ortool/quantize/quantize_run.hpp"

#include <algorithm>
#include <optional>

#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "apps/ortool/options/provider_options.hpp"
#include "apps/ortool/options/save_options.hpp"
#include "apps/ortool/quantize/calibrate.hpp"
#include "apps/ortool/quantize/end_to_end.hpp"
#include "apps/ortool/quantize/patterns.hpp"
#include "apps/ortool/quantize/quantize_report.hpp"
#include "apps/ortool/quantize/quantize_settings.hpp"
#include "apps/ortool/report/progress.hpp"
#include "apps/ortool/report/stopwatch.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/optimize/convert_opset.hpp"
#include "libcore/optimize/declared_types.hpp"
#include "libcore/quantize/choose_numbers.hpp"
#include "libcore/quantize/dynamic.hpp"
#include "libcore/quantize/prepare.hpp"
#include "libcore/quantize/refine_weights.hpp"
#include "libcore/quantize/weight_only.hpp"

namespace ortool {
namespace {

/// Sums of layers' inputs tell little more after so many samples.
constexpr std::int64_t most_refining_samples = 128;
/// The first with scales a channel.
constexpr std::int64_t least_opset = 13;
/// The first with types of 4 and 16 bits.
constexpr std::int64_t opset_of_small_types = 21;

bool needs_late_opset(const QuantizeSettings& settings) {
  const auto is_byte = [](DataType type) {
    return type == DataType::int8 || type == DataType::uint8;
  };
  return !is_byte(settings.weights.type) || !is_byte(settings.activations.type);
}

class QuantizeRun {
 public:
  explicit QuantizeRun(Invocation& invocation)
      : invocation_(invocation),
        options_(invocation.options),
        report_(invocation.report),
        settings_(read_quantize_settings(invocation)),
        pool_(thread_count(options_)),
        machine_{choose_providers(invocation), pool_, thread_count(options_)} {}

  void run();

 private:
  void prepare(Model& model);
  void quantize(Model& model);
  void run_static(Model& model);
  void diagnose_data(const Calibration& calibration);
  void run_dynamic(Model& model);
  void run_weight_only(Model& model);
  void store_rest(Model& model, const QuantizePlan& plan);
  void compare(const Session& floats, const Model& model, std::string_view option);
  PlanRules rules();

  Invocation& invocation_;
  const OptionValues& options_;
  Report& report_;
  QuantizeSettings settings_;
  ThreadPool pool_;
  QuantizeMachine machine_;
  std::optional<NodePatterns> patterns_;
  const Calibration* calibration_ = nullptr;  ///< of the plan that is being made
  QuantizeReport result_;
};

void QuantizeRun::run() {
  LoadedModel loaded = load_model_argument(invocation_);
  const SaveTarget target = read_save_target(options_, loaded);
  in_file(loaded.path, [&] {
    Model& model = *loaded.model;
    patterns_.emplace(options_, model);
    result_.settings = &settings_;
    result_.before_bytes = stored_bytes(model);
    const DeclaredTypes declared(model);
    prepare(model);
    quantize(model);
    declared.restore(model, false);
    result_.after_bytes = stored_bytes(model);
    result_.output_path = target.path;
    result_.output_bytes = save_to(target, model);
  });
  add_quantize_report(report_, result_);
  if (target.path == "-") report_.text.clear();
}

void QuantizeRun::prepare(Model& model) {
  PrepareOptions options;
  options.provider = machine_.providers.back().get();
  options.pool = &pool_;
  options.cap = &invocation_.memory;
  options.stop = &invocation_.stop;
  options.least_opset = needs_late_opset(settings_) ? opset_of_small_types : least_opset;
  result_.preparation = prepare_model(model, options);
  if (result_.preparation.settled_inputs > 0) {
    invocation_.warn(format("{} inputs that have a default become constants",
                            result_.preparation.settled_inputs));
  }
  const std::int64_t opset = result_.preparation.opset_after;
  if (opset != result_.preparation.opset_before) {
    invocation_.warn(format("opset {} becomes {}, in which scales and types can be said",
                            result_.preparation.opset_before, opset));
  }
  model.ir_version = std::max(model.ir_version, ir_version_of_opset(opset));
}

PlanRules QuantizeRun::rules() {
  PlanRules rules;
  rules.is_per_channel = settings_.is_per_channel;
  rules.refusal = [this](const Node& node) -> std::string {
    std::string reason = patterns_->refusal(node);
    const bool is_dynamic = settings_.mode == QuantizeMode::dynamically;
    if (reason.empty() && is_dynamic && node.op_type() == "Conv" && !patterns_->is_wanted(node))
      return "convolutions whose ranges are taken while the model runs are slow (--only asks)";
    if (reason.empty() && calibration_ != nullptr && reads_unseen(node, *calibration_))
      return "no calibration sample reached it";
    return reason;
  };
  rules.is_wanted = [this](const Node& node) { return patterns_->is_wanted(node); };
  return rules;
}

void QuantizeRun::quantize(Model& model) {
  if (settings_.mode == QuantizeMode::statically) return run_static(model);
  std::unique_ptr<Session> floats;
  if (options_.has("validation-data"))
    floats = make_session(invocation_, machine_, model, OptimizeLevel::none);
  if (settings_.mode == QuantizeMode::dynamically) {
    run_dynamic(model);
  } else {
    run_weight_only(model);
  }
  if (floats != nullptr) compare(*floats, model, "validation-data");
}

/// Weights that are stored in few bits though what reads them computes in floats.
void QuantizeRun::store_rest(Model& model, const QuantizePlan& plan) {
  WeightOnlyOptions options;
  options.weights.type = settings_.weights;
  options.has_products = false;
  options.cap = &invocation_.memory;
  quantize_weights_only(model, plan, options);
}

void QuantizeRun::run_dynamic(Model& model) {
  QuantizePlan plan = make_plan(model, rules());
  WeightOptions weights;
  weights.type = settings_.weights;
  const std::int64_t replaced = quantize_dynamically(model, plan, weights, &invocation_.memory);
  describe_plan(plan, result_);
  store_rest(model, plan);
  const bool has_convolutions = std::any_of(
      result_.nodes.begin(), result_.nodes.end(),
      [](const ReportedNode& node) { return node.is_quantized && node.op_type == "Conv"; });
  if (has_convolutions) {
    invocation_.warn(
        "convolutions whose ranges are taken while the model runs are mostly slower than float "
        "ones: calibrate them (--mode static), or measure with `ortool bench`");
  }
  if (replaced == 0) invocation_.warn("no node could be quantised: the model stays as it is");
}

void QuantizeRun::run_weight_only(Model& model) {
  const QuantizePlan plan = make_plan(model, rules());
  WeightOnlyOptions options;
  options.weights.type = settings_.weights;
  options.block_size = settings_.block_size;
  options.cap = &invocation_.memory;
  describe_plan(plan, result_);
  for (ReportedNode& node : result_.nodes) {
    if (!node.is_quantized || node.has_weights) continue;
    node.is_quantized = false;
    node.reason = "it has no weights";
  }
  const std::int64_t tensors = quantize_weights_only(model, plan, options);
  if (tensors == 0) invocation_.warn("there are no weights to make smaller");
}

void QuantizeRun::compare(const Session& floats, const Model& model, std::string_view option) {
  CalibrationData data(invocation_, option, floats.model().graph->inputs(), floats.outputs());
  const std::unique_ptr<Session> quantized =
      make_session(invocation_, machine_, model, OptimizeLevel::none);
  result_.end_to_end = compare_models(invocation_, machine_, floats, *quantized, data);
}

void QuantizeRun::diagnose_data(const Calibration& calibration) {
  ChosenRanges ranges;
  for (const ChosenValue& value : result_.chosen) {
    if (calibration.find(value.name) != nullptr) ranges.emplace(value.name, value.chosen);
  }
  result_.diagnosis = diagnose(calibration, ranges);
  const Diagnosis& found = result_.diagnosis;
  if (!found.settled_after_samples) {
    invocation_.warn(format("{} samples do not settle the ranges: more data would move the scales",
                            found.samples));
  }
  for (const OutlierSample& outlier : found.outliers) {
    invocation_.warn(format("sample {} reaches {} times beyond the others at {}", outlier.sample,
                            fixed_number(outlier.factor, 1), quote(outlier.worst_value)));
  }
}

void QuantizeRun::run_static(Model& model) {
  const std::unique_ptr<Session> floats =
      make_session(invocation_, machine_, model, OptimizeLevel::none);
  CalibrationData data(invocation_, "calibration-data", floats->model().graph->inputs(),
                       floats->outputs());
  const Stopwatch watch;
  const Calibration calibration =
      calibrate(invocation_, machine_, *floats, data, settings_, make_plan(model, rules()));
  result_.calibration_ms = watch.milliseconds();
  result_.samples = data.size();
  calibration_ = &calibration;
  const QuantizePlan plan = make_plan(model, rules());
  PlanNumbers numbers;
  numbers.groups =
      choose_numbers(plan, calibration, settings_.activations, settings_.method, result_.chosen);
  numbers.weights.type = settings_.weights;
  numbers.cap = &invocation_.memory;
  result_.numbers = numbers.groups;
  diagnose_data(calibration);
  std::optional<WeightRefiner> refiner;
  if (settings_.recipe != "fast") {
    CollectOptions collecting;
    collecting.sample_count = std::min(data.size(), most_refining_samples);
    collecting.threads = machine_.threads;
    collecting.cap = &invocation_.memory;
    collecting.stop = &invocation_.stop;
    const Progress progress(options_, invocation_.messages, "refining");
    refiner.emplace(
        plan, numbers, calibration, *floats,
        [&](std::int64_t index) { return data.sample(index).inputs; }, collecting);
    numbers.refiner = &*refiner;
  }
  describe_plan(plan, result_);
  insert_qdq(model, plan, numbers);
  store_rest(model, plan);
  compare(*floats, model, options_.has("validation-data") ? "validation-data" : "calibration-data");
}

}  // namespace

void run_quantize(Invocation& invocation) {
  QuantizeRun(invocation).run();
}

}  // namespace ortool
