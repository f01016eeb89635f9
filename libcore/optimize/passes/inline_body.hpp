// Subgraph inlining: replaces a node by the nodes of its body.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libcore/graph/node.hpp"

namespace ortool {

/// Copies `body`'s nodes to before `holder`, with `inputs`, values of the holder's graph, as the
/// body's inputs; returns the values that correspond to the body's outputs. New nodes record the
/// nodes they originate from.
std::vector<Value*> inline_body(const Graph& body, Node& holder, std::span<Value* const> inputs,
                                const std::string& prefix);

/// Removes `node`; consumers of its outputs read `results` instead. Graph outputs keep their names.
void replace_node(Node& node, std::span<Value* const> results);

}  // namespace ortool
