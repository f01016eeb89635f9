// Quantized clusters: connected regions of nodes that exchange int8 values, and their halves.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libcore/quantize/search/candidate.hpp"
#include "libcore/quantize/search/search_results.hpp"

namespace ortool {

/// Units connected by quantized values; for dynamic quantization, which has none, by reading the
/// same value, which is quantized once.
std::vector<QuantizedCluster> clusters_of(const MadePlan& plan);

/// Splits the cluster, which has at least two units, into two halves.
std::pair<QuantizedCluster, QuantizedCluster> halves_of(const QuantizedCluster& cluster);

/// The inputs of a cluster, and its outputs that others read.
struct ClusterEdges {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

/// Nothing for a cluster inside a subgraph. `prepared` is the model that the plan was made for.
std::optional<ClusterEdges> edges_of(const QuantizedCluster& cluster, const Model& prepared);

}  // namespace ortool
