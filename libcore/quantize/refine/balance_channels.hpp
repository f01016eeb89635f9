// A model whose channels are scaled, computing what it did, and what calibration would see of it.
#pragma once

#include <span>
#include <vector>

#include "libcore/quantize/calibrate/calibration.hpp"
#include "libcore/quantize/calibrate/run_samples.hpp"
#include "libcore/quantize/refine/balance_groups.hpp"

namespace ortool {

/// Factors by class of ChannelLinks; those of classes in no group are one.
class ChannelFactors {
 public:
  explicit ChannelFactors(std::span<const BalanceGroup> groups);
  /// Of each channel of the value; empty when all are one.
  std::vector<double> of(const ChannelLinks& links, const Value& value) const;

 private:
  std::vector<double> factors_;
};

/// Multiplies the channels of values by the groups' factors, and divides the weights that read
/// them: the model computes what it did, but for rounding in float32.  Constants may be other ones
/// afterwards: make plans again.
void balance_channels(Model& model, std::span<const BalanceGroup> groups);

/// The calibration of the balanced model, from that of the model as it was and a pass over the same
/// samples through `session`, which runs the latter: only values with factors are looked at. Throws
/// as collect() does.
Calibration balanced_calibration(const Calibration& calibration, const Session& session,
                                 const ChannelLinks& links, std::span<const BalanceGroup> groups,
                                 FunctionRef<NamedValues(std::int64_t)> sample,
                                 const CollectOptions& options);

}  // namespace ortool
