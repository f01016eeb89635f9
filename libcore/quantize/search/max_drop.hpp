// --max-drop: which nodes have to stay floats so that the model keeps what it is worth.
#pragma once

#include <string>
#include <vector>

#include "libcore/quantize/search/candidate.hpp"
#include "libcore/quantize/search/search_results.hpp"
#include "libcore/quantize/search/validation.hpp"

namespace ortool {

/// Makes `candidate` and `choices` a plan that keeps the budget and leaves few products in float:
/// products are ranked by the noise that each alone leaves in the outputs, the shortest stretch of
/// the ranking that is enough is found by doubling and halving, and what of it need not be float is
/// given back in groups. Where there is none they are those of the best plan judged.
SearchResult search_plan(const CandidateMaker& maker, const Session& floats, CalibrationData* data,
                         const Validation& validation, PlanChoices& choices, Candidate& candidate);

}  // namespace ortool
