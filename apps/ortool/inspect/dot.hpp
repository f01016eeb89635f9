// Graphviz output of a model.
#pragma once

#include <string_view>

#include "libcore/graph/model.hpp"
#include "libcore/json/text_sink.hpp"

namespace ortool {

/// One digraph: boxes for the nodes that `select` matches, with operator, name and the types of
/// their constants; ellipses for inputs and outputs; edges with the types of values; each subgraph
/// and function in a separate cluster, connected to its node by a dashed edge. Names are escaped,
/// and truncated if long.
void write_dot(const Model& model, std::string_view select, TextSink& out);

}  // namespace ortool
