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

/// How thoroughly two models are timed.
enum class TimingEffort {
  decide,  ///< at least five rounds, each block after an untimed run: for choices
  report   ///< at least two rounds of single runs where these are long: for a figure
};

/// Runs both on the inputs in alternating blocks, for about `budget_ms` in total.
PairedTimes time_in_pairs(const Session& first, const Session& second, const NamedValues& inputs,
                          const QuantizeContext& context, double budget_ms,
                          TimingEffort effort = TimingEffort::decide);

}  // namespace ortool
