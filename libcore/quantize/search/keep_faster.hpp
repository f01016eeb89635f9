// --keep-faster: quantizes only clusters that run faster in int8 on this machine.
#pragma once

#include <vector>

#include "libcore/quantize/search/candidate.hpp"
#include "libcore/quantize/search/quantized_clusters.hpp"
#include "libcore/quantize/search/search_results.hpp"

namespace ortool {

/// Times each cluster of `candidate`, extracted from the model, on its inputs from a run of the
/// sample, in the form that is written. A cluster that gains little is bisected recursively, as
/// long as its parts, each in its faster form, are faster than the whole. Parts that int8 does not
/// speed up stay in float. Then the whole model is timed: clusters that cannot be extracted stay in
/// float where the model is faster without them; everything is quantized if that is faster than the
/// selection; and further clusters become float until the model is faster than the float one, or
/// equal to it. `choices` and `candidate` then describe the result.
FasterClusters keep_faster(const CandidateBuilder& builder, const Session& floats,
                           const NamedValues& sample, PlanChoices& choices, Candidate& candidate);

}  // namespace ortool
