// Reader for GraphProto with its nodes and subgraphs.
#pragma once

#include <span>

#include "libcore/graph/graph.hpp"
#include "libcore/onnx/read/load_context.hpp"

namespace ortool::onnx {

/// Fills the empty `graph` with inputs, constants, nodes and outputs. Names are resolved through
/// the enclosing graphs, and nodes are sorted. The nesting depth of subgraphs is limited; each
/// level uses one recursion.
void read_graph(LoadContext& context, Message message, Graph& graph);

/// The part shared with function bodies: declares the nodes' outputs, applies the types in
/// `outputs` and `value_infos`, then adds the nodes. Declarations of unknown names are only
/// preserved.
void read_nodes(LoadContext& context, std::span<const Message> nodes,
                std::span<const Message> value_infos, std::span<const Message> outputs,
                Graph& graph);

/// Sorts the nodes topologically if necessary, with a warning.
void put_in_order(LoadContext& context, Graph& graph);

/// Adds a value under an unused name; `what` describes it ("graph input"). Throws "graph.name" for
/// an empty or used name.
Value& declare_value(LoadContext& context, Graph& graph, std::string_view name,
                     std::string_view what);

/// The value that `name` denotes in `graph`: its own, or a capture from an enclosing graph. Throws
/// "graph.undefined" with the closest existing name; `what` is the reader ("input 2").
Value& find_visible_value(Graph& graph, std::string_view name, std::string_view what);

}  // namespace ortool::onnx
