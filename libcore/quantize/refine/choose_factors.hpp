// Equalization factors that match the ranges of a value's channels, so that one scale fits all.
#pragma once

#include <vector>

#include "libcore/quantize/calibrate/channel_samples.hpp"
#include "libcore/quantize/refine/balance_groups.hpp"

namespace ortool {

/// Chooses the most promising factors of each group: for each channel the inverse of r^alpha / w^(1
/// - alpha), where r is the channel's range and w the largest weight that multiplies it. This
/// unifies cross-layer equalization (M. Nagel et al., 2019) and SmoothQuant (G. Xiao et al., 2023).
/// alpha is the value among 0.2, 0.3 … 1 with the least error: rounding and clipping of sampled
/// rows weighted by the squared weights of their consumers, plus weight rounding weighted by the
/// squared inputs, each relative to the product's own power. Groups with a gain below ten percent
/// are dropped. Channels with less than a sixteenth of the largest range are treated as having that
/// much, since other data may reach further.
void choose_factors(const QuantizePlan& plan, const ChannelLinks& links,
                    const SamplesByValue& samples, std::vector<BalanceGroup>& groups);

}  // namespace ortool
