// Attributes in text, of nodes and of functions.
#pragma once

#include <functional>

#include "libcore/graph/model.hpp"
#include "libcore/text/scanner.hpp"

namespace ortool {

/// Reads a graph that comes next in the text into an empty one.
using GraphReader = std::function<void(Graph&)>;

/// `<axes: ints = [], alpha = 0.5, then_branch = graph ...>` into `node`, in which graphs become
/// subgraphs read by `read_graph`. Throws ErrorCode::invalid with line and column.
void parse_attributes(Scanner& scanner, const GraphReader& read_graph, Node& node);

/// `<alpha, beta = 1.0>` into `function`: names that calls must give, and defaults, which cannot be
/// graphs. Throws ErrorCode::invalid with line and column.
void parse_function_attributes(Scanner& scanner, Function& function);

}  // namespace ortool
