// Every graph of a model: the main one, those inside nodes, and the bodies of functions.
#pragma once

#include <vector>

#include "libcore/graph/model.hpp"

namespace ortool {

/// `graph` and all graphs inside it, outer ones before inner ones, in the order of the nodes.
std::vector<const Graph*> graphs_in(const Graph& graph);
std::vector<Graph*> graphs_in(Graph& graph);

/// The same for the main graph, then for the body of each function.
std::vector<const Graph*> graphs_in(const Model& model);

/// The one node that reads `value` where nothing else does, null otherwise.
Node* only_reader(const Value& value);

}  // namespace ortool
