// Resize: tables of the inputs that each output along an axis reads, with their weights.
#pragma once

#include "providers/cuda/operators/operator_table.hpp"

namespace ortool::cuda {

std::string refuses_resize(const Node& node);
std::size_t emit_resize(DevicePlanBuilder& builder, const Node& node, FusedNodes fused_nodes);

}  // namespace ortool::cuda
