// --max-drop: which nodes have to stay floats so that the model keeps what it is worth.
#pragma once

#include <string>
#include <vector>

#include "apps/ortool/quantize/candidate.hpp"
#include "apps/ortool/quantize/validation.hpp"

namespace ortool {

/// A product that the search left in float.
struct LeftFloat {
  std::string node;
  double alone_db = 0;  ///< signal to noise of the outputs when nothing else is quantised
};

struct SearchResult {
  bool is_within = true;        ///< false: no plan with a quantised product keeps the budget
  std::int64_t candidates = 0;  ///< judged
  std::vector<LeftFloat> left;
  Worth worth;  ///< of `candidate`
};

/// Makes `candidate` and `choices` a plan that keeps the budget and leaves few products in float:
/// products are ranked by the noise that each alone leaves in the outputs, the shortest stretch of
/// the ranking that is enough is found by doubling and halving, and what of it need not be float is
/// given back in groups. Where there is none they are those of the best plan judged.
SearchResult search_plan(const CandidateMaker& maker, const Session& floats, CalibrationData* data,
                         const Validation& validation, PlanChoices& choices, Candidate& candidate);

}  // namespace ortool
