// Weight refinement: adaptive rounding and bias correction on calibration data.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/quantize/calibrate/calibration.hpp"
#include "libcore/quantize/calibrate/input_moments.hpp"
#include "libcore/quantize/calibrate/methods.hpp"
#include "libcore/quantize/refine/adaptive_rounding.hpp"
#include "libcore/quantize/refine/weight_matrix.hpp"
#include "libcore/quantize/scheme/insert_qdq.hpp"
#include "libcore/quantize/scheme/plan.hpp"

namespace ortool {

/// The layout of a product's weights as a matrix; nothing for weights that are not the right
/// operand of a Conv, Gemm or MatMul.
std::optional<WeightMatrix> weight_matrix_of(const PlannedNode& planned);

/// Refines weights and biases for the products of a plan, and of plans of copies of its model; what
/// it is built from must outlive it.
class WeightRefiner : public PlanRefiner {
 public:
  /// Runs the float model `session` on the samples, once for each batch of products whose moments
  /// fit into a share of memory. Products whose windows are not known statically are left out.
  /// Rounding is distributed over `pool`, which may be null and must outlive this object.
  WeightRefiner(const QuantizePlan& plan, QuantizationType weights, const Calibration& calibration,
                const Session& session, FunctionRef<NamedValues(std::int64_t)> sample,
                const CollectOptions& options, ThreadPool* pool = nullptr);

  /// Adds the moments of more samples; weights that were rounded before stay as they were.
  void add(const Session& session, FunctionRef<NamedValues(std::int64_t)> sample,
           const CollectOptions& options);

  /// Whether a refiner built for this plan would give the same results: this one saw every product
  /// of the plan. Scales do not matter.
  bool serves(const QuantizePlan& plan) const;

  /// Adaptive rounding, see improve_rounding().
  QuantizedData round(const PlannedNode& planned, QuantizedData nearest) const override {
    return round_with(RoundingEffort::quick, planned, std::move(nearest));
  }
  QuantizedData round_with(RoundingEffort effort, const PlannedNode& planned,
                           QuantizedData nearest) const;
  /// Bias correction, see expected_shift().
  Tensor correct(const PlannedNode& planned, const Tensor& bias,
                 const QuantizedData& codes) const override;

 private:
  static std::vector<std::string> products_of(const QuantizePlan& plan);
  std::vector<MomentRequest> requests_of(const QuantizePlan& plan) const;
  /// By the least squared error, whatever method the plan uses.
  Scale input_scale(std::string_view value) const;

  QuantizationType type_;
  std::vector<std::string> seen_;  ///< products, by their outputs
  const Calibration& calibration_;
  std::vector<MomentRequest> requests_;  ///< of the products
  ThreadPool* pool_;
  const StopToken* stop_;
  std::map<std::string, InputMoments, std::less<>> moments_;  ///< by the product's output
};

}  // namespace ortool
