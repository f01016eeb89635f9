// Summary of a model in numbers.
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

/// Results that require reading the weights.
struct WeightFindings {
  WeightStatistics total;  ///< `sha256` covers type, shape and content of all, in order
  std::int64_t duplicate_bytes = 0;
  std::vector<DuplicateGroup> duplicates;  ///< indices into Summary::weights
  std::vector<std::string> sha256;         ///< for each of Summary::weights
};

struct Summary {
  std::int64_t node_count = 0;  ///< including subgraphs and functions
  std::map<std::string, std::int64_t> op_histogram;
  std::int64_t parameter_count = 0;
  std::int64_t weight_bytes = 0;
  Cost macs;  ///< for the main graph
  ActivationMemory peak_activations;
  std::vector<Weight> weights;                    ///< point into the model
  std::optional<WeightFindings> weight_findings;  ///< nothing if the weights were not read
  std::string graph_sha256;                       ///< see hash_graph
  /// Nodes that make a shape unknown, because it is data-dependent or the operator is unknown.
  std::vector<const Node*> shape_blockers;

  /// Figures of the weights; nothing if they were not read.
  std::optional<std::int64_t> denormal_weights() const;
  std::optional<std::int64_t> duplicate_weight_bytes() const;
};

/// Reads every weight once if `reads_weights`. The model's shapes must have been inferred, and the
/// model must outlive the summary.
Summary summarize(const Model& model, bool reads_weights);

}  // namespace ortool
