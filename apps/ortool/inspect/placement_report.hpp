// Placement report: provider and kernel of each node, and why preferred providers declined it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/json/text_sink.hpp"

namespace ortool {

/// The placement of one node of the file.
struct NodePlacement {
  std::string node;
  std::string op_type;
  std::string inside;    ///< the node whose body it is in; empty: the main graph
  std::string provider;  ///< empty: no provider, or nothing left to compute
  std::string kernel;    ///< empty if unknown
  std::vector<std::string> reasons;
  /// Computed while loading, or as part of another node.
  bool is_absorbed = false;

  bool is_unsupported() const { return provider.empty() && !is_absorbed; }
};

struct PlacementReport {
  std::vector<NodePlacement> nodes;
  /// Reasons of unavailable providers: "cuda: …".
  std::vector<std::string> unavailable;
  bool is_given = false;

  std::int64_t unsupported_count() const;
};

/// Creates a session of the model at `path` as `run` would, and queries it. If nodes are not
/// supported, every provider is asked for each node instead, and nothing is folded or fused.
/// `model` is the same model with its shapes inferred.
PlacementReport find_placement(const Invocation& invocation, const Model& model,
                               const std::string& path);

/// For GraphBlockOptions: the providers of nodes that are computed.
std::shared_ptr<const std::unordered_map<std::string, std::string>> providers_by_node(
    const PlacementReport& report);

Json placed_node_block(const NodePlacement& row);
/// `report` must live until the block is written.
Json placement_block(const PlacementReport& report);
/// Nodes whose names match `select`, then one line per provider.
void write_placement(const PlacementReport& report, std::string_view select, TextSink& out);

}  // namespace ortool
