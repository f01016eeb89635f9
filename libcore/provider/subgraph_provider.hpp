// Subgraph provider interface: claims whole parts of a model before lowering changes them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libcore/graph/model.hpp"
#include "libcore/provider/provider.hpp"

namespace ortool {

/// A provider with a compiler of its own, which is given parts of the model with the file's
/// operators. Lowering asks it first, puts a node ortool.Subgraph in place of each part, and lowers
/// the rest. claims() takes those nodes of its own, and refuses all others.
class SubgraphProvider : public Provider {
 public:
  /// Whether its compiler fuses operators, so that it is given those of the file.
  virtual bool fuses_operators() const = 0;
  /// For each node of the graph why it is not taken; empty: it is, together with any others.
  virtual std::vector<std::string> subgraph_refusals(const Graph& graph) const = 0;
  /// Keeps a part until compile() is called for the node Subgraph with the returned id. Thread-safe.
  virtual std::int64_t keep_subgraph(std::unique_ptr<Model> part) const = 0;
};

}  // namespace ortool
