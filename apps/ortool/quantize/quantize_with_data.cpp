// One pass for ranges, one for the sums that rounding goes by, then the writer.
#include "apps/ortool/quantize/quantize_with_data.hpp"

#include <algorithm>
#include <optional>

#include "apps/ortool/report/progress.hpp"
#include "apps/ortool/report/stopwatch.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/quantize/choose_numbers.hpp"
#include "libcore/quantize/refine_weights.hpp"

namespace ortool {
namespace {

/// Sums of layers' inputs tell little more after so many samples.
constexpr std::int64_t most_refining_samples = 128;

void diagnose_data(const QuantizeContext& context, const Calibration& calibration) {
  ChosenRanges ranges;
  for (const ChosenValue& value : context.result.chosen) {
    if (calibration.find(value.name) != nullptr) ranges.emplace(value.name, value.chosen);
  }
  context.result.diagnosis = diagnose(calibration, ranges);
  const Diagnosis& found = context.result.diagnosis;
  if (!found.settled_after_samples) {
    context.invocation.warn(format(
        "{} samples do not settle the ranges: more data would move the scales", found.samples));
  }
  for (const OutlierSample& outlier : found.outliers) {
    context.invocation.warn(format("sample {} reaches {} times beyond the others at {}",
                                   outlier.sample, fixed_number(outlier.factor, 1),
                                   quote(outlier.worst_value)));
  }
}

}  // namespace

void quantize_with_data(const QuantizeContext& context, Model& model) {
  const QuantizeSettings& settings = context.settings;
  Invocation& invocation = context.invocation;
  QuantizeReport& result = context.result;
  const std::unique_ptr<Session> floats =
      make_session(invocation, context.machine, model, OptimizeLevel::none);
  CalibrationData data(invocation, "calibration-data", floats->model().graph->inputs(),
                       floats->outputs());
  const Stopwatch watch;
  const Calibration calibration = calibrate(invocation, context.machine, *floats, data, settings,
                                            make_plan(model, rules_of(context, nullptr)));
  result.calibration_ms = watch.milliseconds();
  result.samples = data.size();
  const QuantizePlan plan = make_plan(model, rules_of(context, &calibration));
  PlanNumbers numbers;
  numbers.groups =
      choose_numbers(plan, calibration, settings.activations, settings.method, result.chosen);
  numbers.weights.type = settings.weights;
  numbers.cap = &invocation.memory;
  result.numbers = numbers.groups;
  diagnose_data(context, calibration);
  std::optional<WeightRefiner> refiner;
  if (settings.recipe != "fast") {
    CollectOptions collecting;
    collecting.sample_count = std::min(data.size(), most_refining_samples);
    collecting.threads = context.machine.threads;
    collecting.cap = &invocation.memory;
    collecting.stop = &invocation.stop;
    const Progress progress(invocation.options, invocation.messages, "refining");
    refiner.emplace(
        plan, numbers, calibration, *floats,
        [&](std::int64_t index) { return data.sample(index).inputs; }, collecting);
    numbers.refiner = &*refiner;
  }
  describe_plan(plan, result);
  insert_qdq(model, plan, numbers);
  store_rest(context, model, plan);
  const bool has_validation = invocation.options.has("validation-data");
  compare_forms(context, *floats, model, has_validation ? "validation-data" : "calibration-data");
}

}  // namespace ortool
