// Writer for GraphProto, and its parts shared with function bodies.
#pragma once

#include "libcore/onnx/write/write_context.hpp"

namespace ortool::onnx {

/// Writes a GraphProto as field `field`: nodes in graph order, everything else in the order of the
/// original file, followed by what is new.
void write_graph(WriteContext& context, std::uint32_t field, const Graph& graph);

/// Writes the ValueInfoProtos of inner values.
void write_declared_values(WriteContext& context, std::uint32_t field, const Graph& graph);

/// Writes the OperatorSetIdProtos: those of the file that still hold, in its order, then new ones.
void write_opsets(WriteContext& context, std::uint32_t field, const Graph& graph);

}  // namespace ortool::onnx
