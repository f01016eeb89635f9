// Weights of operators that stay in float, stored as integers where outputs hardly show it.
#pragma once

#include "libcore/quantize/search/candidate.hpp"

namespace ortool {

/// Storing weights of LSTM, GRU, RNN and Gather as integers makes the file smaller and nothing
/// faster. Where the candidate's worst output would gain 3 dB without, they stay in float, with a
/// note: `choices`, `candidate` and `compared`, its comparison on `data`, are then replaced.
/// Gains of outputs above 50 dB do not count.
void leave_rest_in_float(const CandidateBuilder& builder, const Session& floats,
                         CalibrationData& data, PlanChoices& choices, Candidate& candidate,
                         EndToEnd& compared);

}  // namespace ortool
