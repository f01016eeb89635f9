// Channel balancing (SmoothQuant, cross-layer equalization) of a model and its calibration.
#pragma once

#include <span>
#include <vector>

#include "libcore/quantize/calibrate/calibration.hpp"
#include "libcore/quantize/calibrate/run_samples.hpp"
#include "libcore/quantize/refine/balance_groups.hpp"

namespace ortool {

/// Scale factors by class of ChannelLinks; 1 for classes in no group.
class ChannelFactors {
 public:
  explicit ChannelFactors(std::span<const BalanceGroup> groups);
  /// The factor of each channel of the value; empty when all are 1.
  std::vector<double> of(const ChannelLinks& links, const Value& value) const;

 private:
  std::vector<double> factors_;
};

/// Multiplies the channels of values by the groups' factors, and divides the weights of their
/// consumers: the model computes the same result up to float32 rounding. Constants may be replaced,
/// so plans must be made again.
void balance_channels(Model& model, std::span<const BalanceGroup> groups);

/// The calibration of the balanced model, derived from that of the original model and a pass over
/// the same samples through `session`, which runs the original: only values with factors are
/// recorded again. Throws as collect() does.
Calibration balanced_calibration(const Calibration& calibration, const Session& session,
                                 const ChannelLinks& links, std::span<const BalanceGroup> groups,
                                 FunctionRef<NamedValues(std::int64_t)> sample,
                                 const CollectOptions& options);

}  // namespace ortool
