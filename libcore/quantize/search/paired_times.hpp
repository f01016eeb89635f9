// Paired timing of two models, measured in alternating blocks.
#pragma once

#include "libcore/measure/compare_times.hpp"
#include "libcore/quantize/pipeline/quantize_context.hpp"

namespace ortool {

struct PairedTimes {
  double first_ms = 0;  ///< medians
  double second_ms = 0;
  RatioEstimate ratio;  ///< first / second
};

/// Runs both on the inputs in alternating blocks, for about `budget_ms` in total and at least five
/// rounds.
PairedTimes time_in_pairs(const Session& first, const Session& second, const NamedValues& inputs,
                          const QuantizeContext& context, double budget_ms);

}  // namespace ortool
