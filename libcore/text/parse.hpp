// Models and graphs from ONNX's textual syntax (docs/reference/text-format.md).
#pragma once

#include <memory>
#include <string_view>

#include "libcore/graph/model.hpp"

namespace ortool {

/// A whole model: `<ir_version: 8, opset_import: ["": 13]> name (inputs) => (outputs) {nodes}`,
/// then functions. Throws ErrorCode::invalid with line and column. Nesting is bounded, and so is
/// memory by the text's length.
std::unique_ptr<Model> parse_model(std::string_view text);

/// A graph alone, with the opsets given.
std::unique_ptr<Graph> parse_graph(std::string_view text, OpsetImports opsets);

/// Nodes, one after the other, appended to `graph`, whose values their inputs name.
void parse_nodes(std::string_view text, Graph& graph);

}  // namespace ortool
