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
#include "apps/ortool/report/stopwatch.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/optimize/declared_types.hpp"
#include "libcore/quantize/choose_numbers.hpp"
#include "libcore/quantize/prepare.hpp"

namespace ortool {
namespace {

/// Old IR versions want every weight among the inputs.
constexpr std::int64_t least_ir_version = 7;

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
  void run_static(Model& model);
  PlanRules rules();
  void check_opset(Model& model, std::int64_t wanted) const;

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
    run_static(model);
    declared.restore(model, false);
    model.ir_version = std::max(model.ir_version, least_ir_version);
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
  result_.preparation = prepare_model(model, options);
}

PlanRules QuantizeRun::rules() {
  PlanRules rules;
  rules.is_per_channel = settings_.is_per_channel;
  rules.refusal = [this](const Node& node) -> std::string {
    std::string reason = patterns_->refusal(node);
    if (reason.empty() && calibration_ != nullptr && reads_unseen(node, *calibration_))
      return "no calibration sample reached it";
    return reason;
  };
  rules.is_wanted = [this](const Node& node) { return patterns_->is_wanted(node); };
  return rules;
}

void QuantizeRun::check_opset(Model& model, std::int64_t wanted) const {
  const std::int64_t found = model.graph->opset("");
  if (found >= wanted) return;
  throw Error(ErrorCode::unsupported,
              format("the model's opset is {} (expected {} or later)", found, wanted),
              "convert the model to a later opset, or try --per-tensor")
      .with_id("quantize.opset");
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
  check_opset(model, opset_for(plan, numbers));
  describe_plan(plan, result_);
  insert_qdq(model, plan, numbers);
  const std::unique_ptr<Session> quantized =
      make_session(invocation_, machine_, model, OptimizeLevel::none);
  result_.end_to_end = compare_models(invocation_, machine_, *floats, *quantized, data);
}

}  // namespace

void run_quantize(Invocation& invocation) {
  QuantizeRun(invocation).run();
}

}  // namespace ortool
