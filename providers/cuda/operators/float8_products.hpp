// Float8 products: MatMul and Gemm of dequantized float8 by the library's products of the codes.
#pragma once

#include <optional>
#include <string>

#include "libcore/ops/math/gemm.hpp"
#include "providers/cuda/operators/operator_table.hpp"

namespace ortool::cuda {

bool is_float8(DataType type);
/// Whether the node makes floats of float8.
bool dequantizes_float8(const Node& node);
/// Whether it does for MatMul and Gemm alone.
bool is_read_by_products(const Node& node);

/// Why a MatMul or Gemm of two such nodes is not multiplied in float8 on a device of that compute
/// capability, as far as its types and shapes tell; empty: it is.
std::string refuses_float8(const Node& product, int compute_capability);

/// Multiplies the codes that the operands of a MatMul, or Gemm as `op` has it, were dequantized
/// from; returns the number of nodes that follow and are computed with it. Not given: the operands
/// are others, or the library has no such product.
std::optional<std::size_t> emit_float8(DevicePlanBuilder& builder, const Node& node, const Gemm& op,
                                       const DeviceTensor& addend, FusedNodes fused_nodes);

}  // namespace ortool::cuda
