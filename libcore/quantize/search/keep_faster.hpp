// --keep-faster: int8 only where this machine is faster with it.
#pragma once

#include <vector>

#include "libcore/quantize/search/candidate.hpp"
#include "libcore/quantize/search/quantized_clusters.hpp"
#include "libcore/quantize/search/search_results.hpp"

namespace ortool {

/// Measures each cluster of `candidate` cut out of the model, on what it reads in a run of the
/// sample, in the form that is written. One that gains little is split in halves, and those again,
/// while the parts, each in its faster form, are faster than the cluster. What int8 does not make
/// faster stays a float. Then the whole model: a cluster that cannot be cut out is left where the
/// model is faster without it; all are quantised where that is faster than what was left; and more
/// become floats until the model is faster than the float one, or the same. `choices` and
/// `candidate` are then those of the result.
KeptFaster keep_faster(const CandidateMaker& maker, const Session& floats,
                       const NamedValues& sample, PlanChoices& choices, Candidate& candidate);

}  // namespace ortool
