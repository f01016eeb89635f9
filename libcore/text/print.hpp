// Models and graphs as ONNX's textual syntax (docs/reference/text-format.md).
#pragma once

#include <string>

#include "libcore/graph/model.hpp"
#include "libcore/text/print_literal.hpp"

namespace ortool {

/// Text that parse_model reads back as an equal model. Not written: doc strings and metadata of
/// graphs, nodes and values.
std::string print_model(const Model& model, const PrintOptions& options = {});
/// Without the opsets.
std::string print_graph(const Graph& graph, const PrintOptions& options = {});
/// One node, without a line end; subgraphs span lines.
std::string print_node(const Node& node, const PrintOptions& options = {});

}  // namespace ortool
