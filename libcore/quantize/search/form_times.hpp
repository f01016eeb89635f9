// How long two forms of a model take, measured in turns.
#pragma once

#include "libcore/measure/compare_times.hpp"
#include "libcore/quantize/pipeline/quantize_context.hpp"

namespace ortool {

struct FormTimes {
  double first_ms = 0;  ///< medians
  double second_ms = 0;
  RatioEstimate ratio;  ///< first by second
};

/// Runs both on the inputs in turns, blocks of one after blocks of the other, for about
/// `budget_ms` altogether and five rounds at least.
FormTimes time_forms(const Session& first, const Session& second, const NamedValues& inputs,
                     const QuantizeContext& context, double budget_ms);

}  // namespace ortool
