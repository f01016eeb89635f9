// Byte residual: the quantized sum behind a product of int8 that the kernel behind the product
// computes.
#pragma once

#include <optional>

#include "providers/cuda/kernels/quantized_params.hpp"
#include "providers/cuda/operators/operator_table.hpp"

namespace ortool::cuda {

/// Whether `next` adds bytes of any shape to those that `node` makes.
bool adds_bytes(const Node& node, const Node& next);

/// Folds a QuantizedBinary that adds bytes of the same shape to the result of `node`: returns them
/// in the wanted order of axes, and sets all of `residual` but their address. Not given: none
/// follows.
std::optional<DeviceTensor> fold_residual(DevicePlanBuilder& builder, const Node& node,
                                          FusedNodes fused_nodes, bool is_channels_last,
                                          ByteResidual& residual);

}  // namespace ortool::cuda
