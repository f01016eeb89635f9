// --max-drop: finds the nodes that must stay in float to keep within the accuracy budget.
#pragma once

#include <string>
#include <vector>

#include "libcore/quantize/search/candidate.hpp"
#include "libcore/quantize/search/search_results.hpp"
#include "libcore/quantize/search/validation.hpp"

namespace ortool {

/// Makes `candidate` and `choices` a plan within the budget that leaves few products in float:
/// ranks products by the output noise that each causes alone, finds the shortest sufficient prefix
/// of the ranking by doubling and bisection, and quantizes again, in groups, those of the prefix
/// that need not be float. If no plan is within the budget, they are those of the best plan
/// evaluated.
SearchResult search_plan(const CandidateBuilder& builder, const Session& floats,
                         CalibrationData* data, const Validation& validation, PlanChoices& choices,
                         Candidate& candidate);

}  // namespace ortool
