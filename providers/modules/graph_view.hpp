// Graph view: a graph as the C structs of provider_module.h.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "providers/modules/ortool/provider_module.h"

namespace ortool::modules {

/// The graph must not change while its view is used. Constants that are not aligned to their
/// element are copied.
class GraphView {
 public:
  explicit GraphView(const Graph& graph);
  GraphView(const GraphView&) = delete;
  GraphView& operator=(const GraphView&) = delete;

  const ortool_provider_graph& graph() const { return graph_; }
  /// By the index of graph().nodes.
  const Node& node(std::size_t index) const { return *nodes_.at(index); }
  std::size_t node_count() const { return nodes_.size(); }

 private:
  using ValuePointers = std::vector<const ortool_provider_value*>;

  const char* text(std::string_view text);
  const ortool_provider_value* view_of(const Value* value);
  const ortool_provider_value* view_of(const Tensor& tensor);
  const ortool_provider_attribute* view_of(const Attribute& attribute);
  void fill(ortool_provider_value& view, const Tensor& tensor);
  void add_node(const Node& node);

  ortool_provider_graph graph_{};
  std::vector<const Node*> nodes_;
  std::vector<const ortool_provider_node*> node_views_;
  ValuePointers inputs_;
  ValuePointers outputs_;
  std::unordered_map<const Value*, const ortool_provider_value*> by_value_;
  std::deque<std::string> texts_;
  std::deque<Tensor> tensors_;
  std::deque<std::vector<std::int64_t>> shapes_;
  std::deque<ortool_provider_value> values_;
  std::deque<ortool_provider_attribute> attributes_;
  std::deque<ortool_provider_node> node_structs_;
  std::deque<ValuePointers> value_lists_;
  std::deque<std::vector<const ortool_provider_attribute*>> attribute_lists_;
};

}  // namespace ortool::modules
