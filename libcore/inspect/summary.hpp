// A model in figures.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "libcore/graph/model.hpp"
#include "libcore/inspect/cost.hpp"

namespace ortool {

struct Summary {
  std::int64_t node_count = 0;  ///< those of subgraphs and functions included
  std::map<std::string, std::int64_t> op_histogram;
  std::int64_t parameter_count = 0;
  std::int64_t weight_bytes = 0;
  Cost macs;                                           ///< of the main graph
  std::optional<std::int64_t> peak_activation_bytes;   ///< nothing where shapes are not known
  std::optional<std::int64_t> denormal_weights;        ///< nothing when weights were not read
  std::optional<std::int64_t> duplicate_weight_bytes;  ///< the same
};

/// Reads every weight once when `reads_weights`. The model's shapes must have been inferred.
Summary summarize(const Model& model, bool reads_weights);

}  // namespace ortool
