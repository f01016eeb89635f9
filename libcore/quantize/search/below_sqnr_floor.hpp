// SQNR floor: quantization that costs too much accuracy is undone, node by node.
#pragma once

#include <string>
#include <vector>

#include "libcore/quantize/search/candidate.hpp"
#include "libcore/quantize/search/search_results.hpp"

namespace ortool {

/// Outputs with an SQNR below it (noise above about 3 % of the signal power) are unusable.
inline constexpr double useful_sqnr_db = 15;

/// If the SQNR of an output of `candidate`, according to `compared`, is below the floor, leaves the
/// nodes that add most of the noise in float, more and more of them, until all outputs are above
/// it; `candidate`, `compared` and `choices` then describe the result. Reports the nodes left in
/// float.
void exclude_below_sqnr_floor(const CandidateBuilder& builder, const Session& floats,
                              CalibrationData& data, PlanChoices& choices, Candidate& candidate,
                              EndToEnd& compared);

/// Warns if an output of the result has an SQNR below the floor, and names what may help.
void warn_below_sqnr_floor(const QuantizeContext& context);

/// Measures the gain of leaving each of the few nodes that add most of the noise in float; returns
/// those with a gain, the largest first.
std::vector<Suggestion> suggest_exclusions(const CandidateBuilder& builder, const Session& floats,
                                           CalibrationData& data, const PlanChoices& choices,
                                           const Candidate& candidate, const EndToEnd& compared);

}  // namespace ortool
