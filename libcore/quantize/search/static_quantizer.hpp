// Static model maker: builds quantized models from a prepared model and its calibration.
#pragma once

#include <memory>
#include <vector>

#include "libcore/quantize/pipeline/quantize_context.hpp"
#include "libcore/quantize/scheme/group_params.hpp"
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
  /// From now on fits weights to the held-out samples as well.
  void fit_to_all();

 private:
  struct Refiner;

  const PlanRefiner* refine(const QuantizePlan& plan, WeightRangeChoice fit);
  /// Calls collect(sample, options) for the fitting samples from the given one on.
  template <typename Collect>
  void collect_from(std::int64_t first, const Collect& collect);

  const QuantizeContext& context_;
  const Session& floats_;
  const Calibration* calibration_;
  CalibrationData* data_;
  std::vector<std::int64_t> fitting_;  ///< sample indices
  std::unique_ptr<Refiner> refiner_;   ///< of the last plan that has products of its own
  RangeCache ranges_;
};

}  // namespace ortool
