// Quantised nodes that hand levels to each other, and parts of them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libcore/quantize/search/candidate.hpp"
#include "libcore/quantize/search/search_results.hpp"

namespace ortool {

/// Units joined by the levels between them; where nothing is said about levels (dynamic
/// quantisation), by reading the same value, which becomes levels once.
std::vector<QuantizedCluster> clusters_of(const MadePlan& plan);

/// The units of the first half and the others; at least two units.
std::pair<QuantizedCluster, QuantizedCluster> halves_of(const QuantizedCluster& cluster);

/// What a cluster reads and what others read of it.
struct ClusterEdges {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

/// Nothing where the cluster lies in a body. `prepared` is the model that the plan was made for.
std::optional<ClusterEdges> edges_of(const QuantizedCluster& cluster, const Model& prepared);

}  // namespace ortool
