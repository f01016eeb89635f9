// Static model maker: builds quantized models from a prepared model and its calibration.
#pragma once

#include <memory>
#include <vector>

#include "libcore/quantize/pipeline/quantize_context.hpp"
#include "libcore/quantize/scheme/plan_choices.hpp"

namespace ortool {

class StaticQuantizer {
 public:
  /// `calibration` and `data` may be null: then choices must give all scales, and weights are
  /// rounded to nearest. The arguments must outlive this object.
  StaticQuantizer(const QuantizeContext& context, const Session& floats,
                  const Calibration* calibration, CalibrationData* data);
  ~StaticQuantizer();

  /// Quantizes `model`, the prepared model or a copy of it. The result depends only on the choices,
  /// the data and the settings, not on earlier calls.
  MadePlan make(Model& model, const PlanChoices& choices);
  /// From now on fits weights to all samples, instead of leaving some for validation.
  void fit_to_all();
  /// Discards what was collected for scales other than those of the last plan.
  void forget_others();

 private:
  struct Refiner;

  const PlanRefiner* refine(const QuantizePlan& plan, const PlanParams& params,
                            WeightRangeChoice fit);

  const QuantizeContext& context_;
  const Session& floats_;
  const Calibration* calibration_;
  CalibrationData* data_;
  std::vector<std::int64_t> fitting_;               ///< sample indices
  std::vector<std::unique_ptr<Refiner>> refiners_;  ///< most recently used first
};

}  // namespace ortool
