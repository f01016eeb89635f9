// Parser for the attributes of nodes and functions.
#pragma once

#include <functional>

#include "libcore/graph/model.hpp"
#include "libcore/text/scanner.hpp"

namespace ortool {

/// Parses the graph that comes next in the text into an empty one.
using GraphReader = std::function<void(Graph&)>;

/// Parses `<axes: ints = [], alpha = 0.5, then_branch = graph ...>` into `node`; graphs become
/// subgraphs, parsed by `read_graph`. Throws ErrorCode::invalid with line and column.
void parse_attributes(Scanner& scanner, const GraphReader& read_graph, Node& node);

/// Parses `<alpha, beta = 1.0>` into `function`: required attributes, and defaults, which cannot be
/// graphs. Throws ErrorCode::invalid with line and column.
void parse_function_attributes(Scanner& scanner, Function& function);

}  // namespace ortool
