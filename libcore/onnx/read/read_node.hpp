// Reader for NodeProto, in a graph whose values are declared.
#pragma once

#include <cstddef>

#include "libcore/graph/node.hpp"
#include "libcore/onnx/read/load_context.hpp"

namespace ortool::onnx {

/// Declares the outputs of a node. `index` is the node's index in the file, for errors.
void declare_node_outputs(LoadContext& context, Message message, std::size_t index, Graph& graph);

/// Adds the node to the end of `graph`, with attributes and subgraphs. Errors name the node.
void read_node(LoadContext& context, Message message, Graph& graph);

}  // namespace ortool::onnx
