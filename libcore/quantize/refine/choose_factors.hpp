// Factors that bring channels of quantised values to like ranges, so that one scale fits them all.
#pragma once

#include <vector>

#include "libcore/quantize/calibrate/channel_samples.hpp"
#include "libcore/quantize/refine/balance_groups.hpp"

namespace ortool {

/// Gives each group the factors that promise most: for each channel the inverse of
/// r^alpha / w^(1 - alpha), where r is the channel's range and w the largest weight that reads it,
/// which is cross-layer equalisation (M. Nagel et al., 2019) and SmoothQuant (G. Xiao et al., 2023)
/// in one. alpha is the one among 0.2, 0.3 … 1 with the least error: what rounding and clipping do
/// to rows of the values, by the squares of the weights that read them, plus rounding of weights by
/// the squares of what they read, each as a share of the product's own squares. Groups where that
/// gains less than a tenth go away. Channels that reach less than a sixteenth of the largest are
/// taken for that large: other data may reach further.
void choose_factors(const QuantizePlan& plan, const ChannelLinks& links,
                    const SamplesByValue& samples, std::vector<BalanceGroup>& groups);

}  // namespace ortool
