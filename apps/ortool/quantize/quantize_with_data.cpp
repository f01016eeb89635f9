// Ranges first, then the model, then what it is worth.
#include "apps/ortool/quantize/quantize_with_data.hpp"

#include <optional>

#include "apps/ortool/quantize/plan_file.hpp"
#include "apps/ortool/quantize/static_maker.hpp"
#include "apps/ortool/report/stopwatch.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

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
    if (!invocation_.options.has("calibration-data")) return;
    data_.emplace(invocation_, "calibration-data", floats_->model().graph->inputs(),
                  floats_->outputs());
  }

  void run();

 private:
  void calibrate_values();
  void diagnose_data();

  const QuantizeContext& context_;
  Invocation& invocation_;
  Model& model_;
  std::unique_ptr<Session> floats_;
  std::optional<CalibrationData> data_;
  std::optional<Calibration> calibration_;
};

void StaticRun::calibrate_values() {
  if (!data_ && !context_.cache.is_used()) return;
  const Stopwatch watch;
  const NodeNames names = names_apart(model_);
  // All that a plan may ask about, whatever this one leaves out.
  const PlanChoices nothing;
  const QuantizePlan plan = make_plan(model_, rules_of(context_, nullptr, nothing, names));
  calibration_ = calibrate(invocation_, context_.machine, *floats_, data_ ? &*data_ : nullptr,
                           context_.settings, plan, context_.cache);
  context_.result.calibration_ms = watch.milliseconds();
  context_.result.samples = calibration_->samples().count();
}

void StaticRun::diagnose_data() {
  if (!calibration_) return;
  ChosenRanges ranges;
  for (const ChosenValue& value : context_.result.plan.chosen) {
    if (calibration_->find(value.name) != nullptr) ranges.emplace(value.name, value.chosen);
  }
  context_.result.diagnosis = diagnose(*calibration_, ranges);
  const Diagnosis& found = context_.result.diagnosis;
  if (!found.settled_after_samples) {
    invocation_.warn(format("{} samples do not settle the ranges: more data would move the scales",
                            found.samples));
  }
  for (const OutlierSample& outlier : found.outliers) {
    invocation_.warn(format("sample {} reaches {} times beyond the others at {}", outlier.sample,
                            fixed_number(outlier.factor, 1), quote(outlier.worst_value)));
  }
}

void StaticRun::run() {
  calibrate_values();
  if (context_.settings.calibrates_only) return;
  StaticMaker maker(context_, *floats_, calibration_ ? &*calibration_ : nullptr,
                    data_ ? &*data_ : nullptr);
  context_.result.plan = maker.make(model_, context_.choices);
  check_choices(invocation_, context_.choices, floats_->model(), context_.result.plan);
  diagnose_data();
  const bool has_validation = invocation_.options.has("validation-data");
  if (!has_validation && !data_) return;
  compare_forms(context_, *floats_, model_,
                has_validation ? "validation-data" : "calibration-data");
}

}  // namespace

void quantize_with_data(const QuantizeContext& context, Model& model) {
  StaticRun(context, model).run();
}

}  // namespace ortool
