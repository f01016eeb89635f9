// What costs too much to be of use, and what leaving it out would gain.
#pragma once

#include <string>
#include <vector>

#include "libcore/quantize/search/candidate.hpp"
#include "libcore/quantize/search/search_results.hpp"

namespace ortool {

/// Outputs whose noise is above this share of the signal are of no use: about 3 %.
inline constexpr double useful_sqnr_db = 15;

/// Where an output of `candidate`, as `compared` says, is beyond use, leaves the nodes that add
/// most of the noise in float, more and more of them, until no output is; `candidate`, `compared`
/// and `choices` are then those of the result. Tells what was left.
void leave_beyond_use(const CandidateMaker& maker, const Session& floats, CalibrationData& data,
                      PlanChoices& choices, Candidate& candidate, EndToEnd& compared);

/// Tries to leave out each of the few nodes that add most of the noise, and measures what that
/// gains: those that gain something, the most first.
std::vector<Suggestion> suggest_exclusions(const CandidateMaker& maker, const Session& floats,
                                           CalibrationData& data, const PlanChoices& choices,
                                           const Candidate& candidate, const EndToEnd& compared);

}  // namespace ortool
