// JSON of a graph: inputs, outputs, initializers, nodes and values, generated while written.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "libcore/graph/model.hpp"
#include "libcore/inspect/count_macs.hpp"
#include "libcore/json/json.hpp"

namespace ortool {

struct GraphBlockOptions {
  std::int64_t max_elements = 16;  ///< of a tensor attribute; beyond, only type and shape
  std::string select = "*";        ///< nodes, initializers and values whose names match
  /// The provider of each node of the main graph, by name; null: not requested.
  std::shared_ptr<const std::unordered_map<std::string, std::string>> providers = nullptr;
};

/// Generates blocks of one model, which outlives this writer, as the writer outlives the lists in
/// its blocks. Elements of a list are generated when it is written.
class BlockBuilder {
 public:
  BlockBuilder(const Model& model, GraphBlockOptions options)
      : model_(model), options_(std::move(options)), counter_(model) {}
  BlockBuilder(const BlockBuilder&) = delete;
  BlockBuilder& operator=(const BlockBuilder&) = delete;

  /// The main graph, with preprocessing hints for its inputs.
  Json main_graph() const;
  /// With its subgraphs inside their nodes.
  Json graph(const Graph& graph) const;
  Json functions() const;
  /// One JSON object per line, with a `kind` and the number of the graph it belongs to (0: the main
  /// graph): graphs, inputs, outputs, initializers, values and nodes, subgraphs and functions
  /// included. A node's `subgraphs` are numbers there.
  void write_lines(TextSink& out) const;

 private:
  using Emit = FunctionRef<void(const Json&)>;
  using SubgraphBlock = FunctionRef<Json(const Graph&)>;

  bool is_chosen(std::string_view name) const;
  void make_initializers(const Graph& graph, Emit emit) const;
  void make_values(const Graph& graph, Emit emit) const;
  void make_nodes(const Graph& graph, SubgraphBlock subgraph, Emit emit) const;
  Json node(const Node& node, std::int64_t index, SubgraphBlock subgraph) const;
  Json function(const Function& function) const;
  Json function_head(const Function& function) const;

  const Model& model_;
  GraphBlockOptions options_;
  MacCounter counter_;
};

/// {name, dtype, shape}; dimensions are numbers, symbols or formulas, or null; the shape is null
/// if the rank is unknown.
Json value_block(const Value& value);

/// Why the shape of a node's output is unknown.
std::string why_shape_is_unknown(const Node& node);

}  // namespace ortool
