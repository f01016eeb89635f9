// Which quantised values have to be scaled together, channel by channel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcore/quantize/calibrate/calibration.hpp"
#include "libcore/quantize/refine/channel_links.hpp"
#include "libcore/quantize/scheme/plan.hpp"

namespace ortool {

/// Values whose channels depend on each other, since some stand in one value, which has one scale.
struct BalanceGroup {
  std::string name;                   ///< of its first value, in the order of the plan
  std::vector<std::int64_t> classes;  ///< of ChannelLinks, ascending
  std::vector<double> factors;        ///< of each class; empty until choose_factors()
  double alpha = 0;
  /// The expected squared error of what reads them, before by after.
  double expected_gain = 1;
  /// What goes away of it, in shares of the signal of what reads them.
  double expected_relief = 0;
};

/// The groups of the plan's values, in order, those whose channels are held left out.
std::vector<BalanceGroup> balance_groups(const QuantizePlan& plan, const ChannelLinks& links);

/// The values whose channels choose_factors() wants to know.
std::vector<ValueRequest> balanced_values(const QuantizePlan& plan, const ChannelLinks& links);

}  // namespace ortool
