// Partition: which nodes of a graph the device runs, in groups without cycles between them.
#pragma once

#include "libcore/provider/provider.hpp"

namespace ortool::cuda {

/// Whether the shape rule of a node computes its results whenever the shapes are known: Shape, Size
/// and arithmetic on them. Such nodes belong to a group without being computed on the device.
bool is_shape_arithmetic(const Node& node);

/// Nodes of a graph that the device takes; a group holds all that lie between the same nodes of
/// others.
Claims partition(const Graph& graph);

}  // namespace ortool::cuda
