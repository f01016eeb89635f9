// --keep-faster: int8 only where this machine is faster with it.
#pragma once

#include <vector>

#include "apps/ortool/quantize/candidate.hpp"
#include "apps/ortool/quantize/quantized_clusters.hpp"

namespace ortool {

/// A cluster, or a part of one that was split, measured by itself in both forms.
struct ClusterTimes {
  QuantizedCluster cluster;
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
/// sample, in the form that is written. One that gains little is split in halves, and those again,
/// while the parts, each in its faster form, are faster than the cluster. What int8 does not make
/// faster stays a float. Then the whole model: a cluster that cannot be cut out is left where the
/// model is faster without it; all are quantised where that is faster than what was left; and more
/// become floats until the model is faster than the float one, or the same. `choices` and
/// `candidate` are then those of the result.
KeptFaster keep_faster(const CandidateMaker& maker, const Session& floats,
                       const NamedValues& sample, PlanChoices& choices, Candidate& candidate);

}  // namespace ortool
