// --keep-faster: int8 only where this machine is faster with it.
#pragma once

#include <string>
#include <vector>

#include "apps/ortool/quantize/candidate.hpp"

namespace ortool {

/// Quantised nodes that hand levels to each other, measured by themselves in both forms.
struct ClusterTimes {
  std::vector<std::string> nodes;  ///< of the plan
  std::string first;               ///< the first node's name in the file
  double float_ms = 0;
  double int8_ms = 0;
  double ratio = 1;  ///< int8 by float
  bool is_measured = false;
  bool is_kept = true;
};

struct KeptFaster {
  double float_ms = 0;  ///< of a whole run
  double int8_ms = 0;   ///< of what was kept
  std::vector<ClusterTimes> clusters;
  bool stores_rest = true;
};

/// Measures each cluster of `candidate` cut out of the model, on what it reads in a run of the
/// sample, and leaves those in float that int8 does not make faster; then the whole model, leaving
/// out more until it is faster than the float model, or the same. `choices` and `candidate` are
/// then those of the result.
KeptFaster keep_faster(const CandidateMaker& maker, const Session& floats,
                       const NamedValues& sample, PlanChoices& choices, Candidate& candidate);

}  // namespace ortool
