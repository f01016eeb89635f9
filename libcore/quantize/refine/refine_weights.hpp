// Weights rounded, and biases moved, by what the layers read on the calibration data.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "libcore/quantize/calibrate/calibration.hpp"
#include "libcore/quantize/calibrate/input_moments.hpp"
#include "libcore/quantize/refine/adaptive_rounding.hpp"
#include "libcore/quantize/refine/weight_matrix.hpp"
#include "libcore/quantize/scheme/insert_qdq.hpp"
#include "libcore/quantize/scheme/plan.hpp"

namespace ortool {

/// How a product's weights make its outputs: nothing for weights that are not the right operand of
/// a Conv, Gemm or MatMul of a matrix.
std::optional<WeightMatrix> weight_matrix_of(const PlannedNode& planned);

/// Makes better levels and biases for the products of a plan, and of plans of copies of its model;
/// what it is made from outlives it.
class WeightRefiner : public PlanRefiner {
 public:
  /// Runs the float model `session` on the samples once for each part of the products whose sums
  /// fit into a share of memory. Products whose windows it cannot tell are left out. Rounding
  /// spreads over `pool`, which may be null, and outlives this.
  WeightRefiner(const QuantizePlan& plan, const PlanNumbers& numbers,
                const Calibration& calibration, const Session& session,
                FunctionRef<NamedValues(std::int64_t)> sample, const CollectOptions& options,
                ThreadPool* pool = nullptr);

  /// Whether a refiner made for this plan would do the same: it saw every product that this one
  /// asks about, with the scales of this one.
  bool serves(const QuantizePlan& plan, const PlanNumbers& numbers) const;

  /// Each weight up or down, so that the layer's results differ least: see improve_rounding().
  WeightLevels round(const PlannedNode& planned, WeightLevels nearest) const override {
    return round_with(RoundingEffort::quick, planned, std::move(nearest));
  }
  WeightLevels round_with(RoundingEffort effort, const PlannedNode& planned,
                          WeightLevels nearest) const;
  /// The bias less what quantised weights add to the mean of the results: see expected_shift().
  Tensor correct(const PlannedNode& planned, const Tensor& bias,
                 const WeightLevels& levels) const override;

 private:
  /// A product by its result, with what its input is quantised to.
  struct Seen {
    std::string result;
    GroupNumbers input;
  };
  static std::vector<MomentRequest> requests_of(const QuantizePlan& plan,
                                                const PlanNumbers& numbers,
                                                std::vector<Seen>& products);

  QuantizationType type_;
  std::vector<Seen> seen_;
  const Calibration& calibration_;
  ThreadPool* pool_;
  const StopToken* stop_;
  std::map<std::string, InputMoments, std::less<>> moments_;  ///< by the product's result
};

}  // namespace ortool
