// Nodes that only sessions make.
#pragma once

#include <span>

#include "libcore/graph/graph.hpp"

namespace ortool {

/// Lets the nodes of `graph` be of the own domain.
void import_own_domain(Graph& graph);

/// Whether all attributes are numbers, lists of them or texts, and none a reference.
bool has_plain_attributes(const Node& node);

/// Puts a node in the place of `node`, and removes that one: the same operator with the same name,
/// inputs and plain attributes, which makes `outputs`, values that nothing else makes.
Node& remake_with_outputs(Node& node, std::span<Value* const> outputs);

/// Whether the node brings a value into another layout.
bool is_reorder(const Node& node);

}  // namespace ortool
