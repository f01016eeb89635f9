// NodeProto: a node of a graph whose values are declared.
#pragma once

#include <cstddef>

#include "libcore/graph/graph.hpp"
#include "libcore/onnx/read/load_context.hpp"

namespace ortool::onnx {

/// Declares the values that a node makes. `index` is the node's place in the file: errors name it.
void declare_node_outputs(LoadContext& context, Message message, std::size_t index, Graph& graph);

/// Adds the node at the end of `graph`, with its attributes and subgraphs. Errors name the node.
void read_node(LoadContext& context, Message message, Graph& graph);

}  // namespace ortool::onnx
