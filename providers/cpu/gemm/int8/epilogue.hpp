// The nodes behind a product of matrices of bytes that its kernel computes as it stores sums.
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/provider/node_view.hpp"
#include "libcore/provider/product_epilogue.hpp"
#include "providers/cpu/support/quantization_params.hpp"

namespace ortool::cpu {

/// What the followers make of sums: floats, then perhaps bytes again.
struct Int8FusedNodes {
  bool is_float = false;         ///< a Cast to float32, or a DequantizeLinear
  std::int64_t scale = -1;       ///< the group's input of factors, one for all or one a column
  Int8Limits limits;             ///< of QLinearMatMul's bytes, narrowed by Clips
  std::optional<float> step;     ///< what these bytes stand for, where they become floats
  ProductFollowers functions;    ///< bias, residual and activation
  std::optional<float> divisor;  ///< the scale of a QuantizeLinear at the end
  DataType type = DataType::undefined;  ///< of its bytes
  std::int32_t zero_point = 0;          ///< of its bytes
};

/// Reads the followers of MatMulInteger (Cast, then perhaps Mul) or QLinearMatMul (Clip, then
/// DequantizeLinear), and after these Add, an activation and QuantizeLinear. Nothing when one of
/// them cannot be computed so.
std::optional<Int8FusedNodes> match_int8_epilogue(const NodeView& group);

/// Whether `next` can be a follower of the group: a KernelRow's `absorbs`.
bool absorbs_int8_epilogue(const NodeView& group, const Node& next);

}  // namespace ortool::cpu
