// Int8 epilogue: nodes after an int8 product that its kernel fuses into the store of the sums.
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/provider/node_view.hpp"
#include "libcore/provider/product_epilogue.hpp"
#include "providers/cpu/support/quantization_params.hpp"

namespace ortool::cpu {

/// The fused nodes: convert sums to float, and possibly quantize again.
struct Int8FusedNodes {
  bool is_float = false;         ///< a Cast to float32, or a DequantizeLinear
  std::int64_t scale = -1;       ///< the group's input with scales: a scalar, or one per column
  Int8Limits limits;             ///< of QLinearMatMul's result, narrowed by Clips
  std::optional<float> step;     ///< scale of that result, if it is dequantized
  ProductFollowers functions;    ///< bias, residual and activation
  std::optional<float> divisor;  ///< the scale of a QuantizeLinear at the end
  DataType type = DataType::undefined;  ///< of the quantized result
  std::int32_t zero_point = 0;          ///< of the quantized result
};

/// Matches the nodes after MatMulInteger (Cast, then optionally Mul) or QLinearMatMul (Clip, then
/// DequantizeLinear), and after these Add, an activation and QuantizeLinear. Empty if any of them
/// cannot be fused.
std::optional<Int8FusedNodes> match_int8_epilogue(const NodeView& group);

/// Whether `next` can be fused into the group: a KernelRow's `absorbs`.
bool absorbs_int8_epilogue(const NodeView& group, const Node& next);

}  // namespace ortool::cpu
