// Parser for ONNX's textual syntax (docs/reference/text-format.md): models, graphs and nodes.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/graph/model.hpp"

namespace ortool {

/// Parses a model: `<ir_version: 8, opset_import: ["": 13]> name (inputs) => (outputs) {nodes}`,
/// then functions. Throws ErrorCode::invalid with line and column. Nesting is limited, and memory
/// is bounded by the length of the text.
std::unique_ptr<Model> parse_model(std::string_view text);

/// Parses functions without a model, each as `<domain: "d", opset_import: ["": 13]> name (inputs)
/// => (outputs) {nodes}`.
std::vector<Function> parse_functions(std::string_view text);

/// Parses a graph with the given opset imports.
std::unique_ptr<Graph> parse_graph(std::string_view text, OpsetImports opsets);

/// Parses nodes and appends them to `graph`; their inputs name its values.
void parse_nodes(std::string_view text, Graph& graph);

}  // namespace ortool
