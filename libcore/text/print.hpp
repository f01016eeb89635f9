// Printer for ONNX's textual syntax (docs/reference/text-format.md): models, graphs and nodes.
#pragma once

#include <string>

#include "libcore/graph/model.hpp"
#include "libcore/text/print_literal.hpp"

namespace ortool {

/// Text that parse_model parses to an equal model. Not printed: doc strings and metadata of graphs,
/// nodes and values.
std::string print_model(const Model& model, const PrintOptions& options = {});
/// Without opset imports.
std::string print_graph(const Graph& graph, const PrintOptions& options = {});
/// One node, without a line break at the end; subgraphs span lines.
std::string print_node(const Node& node, const PrintOptions& options = {});

}  // namespace ortool
