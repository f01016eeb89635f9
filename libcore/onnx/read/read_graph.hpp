// GraphProto, and the nodes and subgraphs in it.
#pragma once

#include <span>

#include "libcore/graph/graph.hpp"
#include "libcore/onnx/read/load_context.hpp"

namespace ortool::onnx {

/// Fills the empty `graph`: inputs, constants, nodes and outputs, names looked up through the
/// graphs around it, nodes sorted. Depth of subgraphs is limited; each takes one level of the
/// stack.
void read_graph(LoadContext& context, Message message, Graph& graph);

/// The part of it that function bodies share: declares what the nodes make, sets the types in
/// `outputs` and `value_infos`, then adds the nodes. What is said of unknown names is only kept.
void read_nodes(LoadContext& context, std::span<const Message> nodes,
                std::span<const Message> value_infos, std::span<const Message> outputs,
                Graph& graph);

/// Sorts the nodes when they are not in order, with a warning.
void put_in_order(LoadContext& context, Graph& graph);

/// Adds a value under a name that is not taken; `what` says what it is ("graph input"). Throws
/// "graph.name" for an empty or a taken name.
Value& declare_value(LoadContext& context, Graph& graph, std::string_view name,
                     std::string_view what);

/// The value that `name` means in `graph`: its own, or a capture of one around it. Throws
/// "graph.undefined" with the nearest name there is; `what` reads it ("input 2").
Value& find_visible_value(Graph& graph, std::string_view name, std::string_view what);

}  // namespace ortool::onnx
