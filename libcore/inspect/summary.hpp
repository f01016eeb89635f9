// A model in figures.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "libcore/graph/model.hpp"
#include "libcore/inspect/activation_memory.hpp"
#include "libcore/inspect/cost.hpp"
#include "libcore/inspect/weight_statistics.hpp"

namespace ortool {

/// What reading the weights shows.
struct WeightFindings {
  WeightStatistics total;  ///< `sha256` of type, shape and content of all, in order
  std::int64_t duplicate_bytes = 0;
  std::vector<DuplicateGroup> duplicates;  ///< positions in Summary::weights
  std::vector<std::string> sha256;         ///< of each of Summary::weights
};

struct Summary {
  std::int64_t node_count = 0;  ///< those of subgraphs and functions included
  std::map<std::string, std::int64_t> op_histogram;
  std::int64_t parameter_count = 0;
  std::int64_t weight_bytes = 0;
  Cost macs;  ///< of the main graph
  ActivationMemory peak_activations;
  std::vector<Weight> weights;                    ///< point into the model
  std::optional<WeightFindings> weight_findings;  ///< nothing when weights were not read
  std::string graph_sha256;                       ///< see hash_graph
  /// Nodes that make a shape unknown because of data, or of an operator that is not known.
  std::vector<const Node*> shape_blockers;

  /// The figures of weights, nothing when they were not read.
  std::optional<std::int64_t> denormal_weights() const;
  std::optional<std::int64_t> duplicate_weight_bytes() const;
};

/// Reads every weight once when `reads_weights`. The model's shapes must have been inferred; the
/// model outlives the summary.
Summary summarize(const Model& model, bool reads_weights);

}  // namespace ortool
