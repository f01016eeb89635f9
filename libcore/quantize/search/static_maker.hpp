// From a prepared float model and what calibration saw to a quantised one, as often as asked.
#pragma once

#include <memory>
#include <vector>

#include "libcore/quantize/pipeline/quantize_context.hpp"
#include "libcore/quantize/scheme/plan_choices.hpp"

namespace ortool {

class StaticMaker {
 public:
  /// `calibration` and `data` may be null: then choices say all scales, and weights are rounded to
  /// the nearest levels. What is given outlives this.
  StaticMaker(const QuantizeContext& context, const Session& floats, const Calibration* calibration,
              CalibrationData* data);
  ~StaticMaker();

  /// Quantises `model`, the prepared model or a copy of it. The result depends on the choices, the
  /// data and the settings alone, not on what was made before.
  MadePlan make(Model& model, const PlanChoices& choices);
  /// From now on weights follow all samples, not only those that leave others to judge by.
  void fit_to_all();
  /// Forgets what was collected for scales other than those of the last plan.
  void forget_others();

 private:
  struct Refiner;

  const PlanRefiner* refine(const QuantizePlan& plan, const PlanNumbers& numbers, WeightFit fit);

  const QuantizeContext& context_;
  const Session& floats_;
  const Calibration* calibration_;
  CalibrationData* data_;
  std::vector<std::int64_t> fitting_;               ///< samples
  std::vector<std::unique_ptr<Refiner>> refiners_;  ///< the one used last in front
};

}  // namespace ortool
