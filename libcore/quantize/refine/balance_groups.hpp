// Balance groups: quantized values whose channels must be scaled together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcore/quantize/calibrate/calibration.hpp"
#include "libcore/quantize/refine/channel_links.hpp"
#include "libcore/quantize/scheme/plan.hpp"

namespace ortool {

/// Values whose channels are coupled because they occur in a common value, which has one scale.
struct BalanceGroup {
  std::string name;                   ///< of its first value in plan order
  std::vector<std::int64_t> classes;  ///< of ChannelLinks, ascending
  std::vector<double> factors;        ///< per class; empty until choose_factors()
  double alpha = 0;
  /// The ratio of the consumers' expected squared error before and after.
  double expected_gain = 1;
  /// The reduction of that error, relative to the consumers' signal power.
  double expected_relief = 0;
};

/// The groups of the plan's values, in order, excluding those with fixed channels.
std::vector<BalanceGroup> balance_groups(const QuantizePlan& plan, const ChannelLinks& links);

/// The values whose channel statistics choose_factors() needs.
std::vector<ValueRequest> balanced_values(const QuantizePlan& plan, const ChannelLinks& links);

}  // namespace ortool
