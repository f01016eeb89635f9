// A function's body with the attributes of one call put in.
#pragma once

#include <cstdint>
#include <memory>

#include "libcore/graph/model.hpp"

namespace ortool {

/// A copy of the body in which attributes that refer to the function's own hold what `call` gives,
/// else the function's default, else are left out. Inputs that the call leaves out are left out of
/// the nodes that read them; the copy's inputs stand for all of the function's. Constants share
/// their bytes. Names are those of the body.
std::unique_ptr<Graph> instantiate(const Function& function, const Node& call);

/// Nodes of a graph and of all graphs inside it.
std::int64_t count_nodes(const Graph& graph);

}  // namespace ortool
