// Weights rounded, and biases moved, by what the layers read on the calibration data.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "libcore/quantize/calibration.hpp"
#include "libcore/quantize/input_moments.hpp"
#include "libcore/quantize/insert_qdq.hpp"
#include "libcore/quantize/plan.hpp"
#include "libcore/quantize/weight_matrix.hpp"

namespace ortool {

/// How a product's weights make its outputs: nothing for weights that are not the right operand of
/// a Conv, Gemm or MatMul of a matrix.
std::optional<WeightMatrix> weight_matrix_of(const PlannedNode& planned);

/// Makes better levels and biases for the products of a plan; what it is made from outlives it.
class WeightRefiner : public PlanRefiner {
 public:
  /// Runs the float model `session` on the samples once for each part of the products whose sums
  /// fit into a share of memory. Products whose windows it cannot tell are left out.
  WeightRefiner(const QuantizePlan& plan, const PlanNumbers& numbers,
                const Calibration& calibration, const Session& session,
                FunctionRef<NamedValues(std::int64_t)> sample, const CollectOptions& options);

  /// Each weight up or down, so that the layer's results differ least: see improve_rounding().
  WeightLevels round(const PlannedNode& planned, WeightLevels nearest) const override;
  /// The bias less what quantised weights add to the mean of the results: see expected_shift().
  Tensor correct(const PlannedNode& planned, const Tensor& bias,
                 const WeightLevels& levels) const override;

 private:
  QuantizationType type_;
  const Calibration& calibration_;
  std::map<const Node*, InputMoments> moments_;
};

}  // namespace ortool
