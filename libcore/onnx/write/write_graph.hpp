// GraphProto, and the parts of it that function bodies share.
#pragma once

#include "libcore/onnx/write/write_context.hpp"

namespace ortool::onnx {

/// A GraphProto under the number `field`: nodes in the order of the graph, everything else in the
/// order of the file it came from, what is new behind that.
void write_graph(WriteContext& context, std::uint32_t field, const Graph& graph);

/// The ValueInfoProtos of values inside the graph.
void write_declared_values(WriteContext& context, std::uint32_t field, const Graph& graph);

/// The OperatorSetIdProtos: those of the file that still hold, in its order, then the new ones.
void write_opsets(WriteContext& context, std::uint32_t field, const Graph& graph);

}  // namespace ortool::onnx
