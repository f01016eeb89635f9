// The nodes of a body put in the place of the node that holds it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libcore/graph/graph.hpp"

namespace ortool {

/// Copies `body`'s nodes in front of `holder`, with `inputs`, values of the holder's graph, as the
/// body's; returns what stands for the body's outputs. New nodes tell which nodes they come from.
std::vector<Value*> take_body(const Graph& body, Node& holder, std::span<Value* const> inputs,
                              const std::string& prefix);

/// Removes `node`; what read its outputs reads `results` instead. Outputs of the graph keep their
/// names.
void replace_node(Node& node, std::span<Value* const> results);

}  // namespace ortool
