// Instantiates a function body with the attributes of one call.
#pragma once

#include <cstdint>
#include <memory>

#include "libcore/graph/model.hpp"

namespace ortool {

/// A copy of the body in which references to function attributes are replaced by the values of
/// `call`, else by the function's defaults, else dropped. Inputs that the call omits become omitted
/// inputs; the copy still has all of the function's inputs. Constants share their data. Names are
/// those of the body.
std::unique_ptr<Graph> instantiate(const Function& function, const Node& call);

/// The number of nodes in a graph and all nested graphs.
std::int64_t count_nodes(const Graph& graph);

}  // namespace ortool
