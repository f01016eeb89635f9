// Enumerates all graphs of a model: the main graph, subgraphs and function bodies.
#pragma once

#include <vector>

#include "libcore/graph/model.hpp"

namespace ortool {

/// `graph` and all graphs nested in it, outer ones before inner ones, in node order.
std::vector<const Graph*> graphs_in(const Graph& graph);
std::vector<Graph*> graphs_in(Graph& graph);

/// Same for the main graph, then for the body of each function.
std::vector<const Graph*> graphs_in(const Model& model);

/// All nodes and values of these graphs, in their order.
std::vector<const Node*> nodes_in(const Model& model);
std::vector<const Value*> values_in(const Model& model);

/// The only consumer of `value`, or null if there is none or more than one.
Node* only_consumer(const Value& value);

}  // namespace ortool
