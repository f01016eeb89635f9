// Byte residual: finds which operand of the sum is the product.
#include "providers/cuda/operators/byte_residual.hpp"

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/ops/quantization/quantized_binary.hpp"
#include "providers/cuda/operators/byte_operands.hpp"

namespace ortool::cuda {
namespace {

/// The first input of an operand: bytes, their scale and their zero point.
constexpr std::int64_t first_operand = 0;
constexpr std::int64_t second_operand = 3;
constexpr std::int64_t result_scale = 6;
constexpr std::int64_t result_zero = 7;

}  // namespace

bool adds_bytes(const Node& node, const Node& next) {
  if (next.op_type() != "QuantizedBinary" || next.domain() != own_domain) return false;
  const Value* value = node.output(0);
  if ((next.input(first_operand) == value) == (next.input(second_operand) == value)) return false;
  return read_op<QuantizedBinary>(next).operation == QuantizedBinary::Operation::add;
}

std::optional<DeviceTensor> fold_residual(DevicePlanBuilder& builder, const Node& node,
                                          FusedNodes fused_nodes, bool is_channels_last,
                                          ByteResidual& residual) {
  if (fused_nodes.empty() || !adds_bytes(node, *fused_nodes.front())) return std::nullopt;
  const Node& sum = *fused_nodes.front();
  const bool is_first = sum.input(first_operand) == node.output(0);
  const std::int64_t own = is_first ? first_operand : second_operand;
  const std::int64_t other = is_first ? second_operand : first_operand;
  const Shape& shape = builder.output_shape(node);
  if (builder.output_shape(sum) != shape || builder.shape(sum, other) != shape) return std::nullopt;
  const auto op = read_op<QuantizedBinary>(sum);
  const auto scale = [&](std::int64_t input) { return known_floats(builder, sum, input).front(); };
  residual.zero = zero_points(builder, sum, other + 2, type_of(sum.input(other)));
  residual.sum_zero = zero_points(builder, sum, own + 2, type_of(sum.input(own)));
  residual.scale = scale(other + 1);
  residual.sum_scale = scale(own + 1);
  const DataType type = type_of(sum.output(0));
  residual.out_zero = zero_points(builder, sum, result_zero, type).data;
  residual.out_type = static_cast<std::int32_t>(type);
  residual.low = static_cast<std::int32_t>(op.low);
  residual.high = static_cast<std::int32_t>(op.high);
  residual.out_scale = scale(result_scale);
  return builder.input_in(sum, other, is_channels_last);
}

}  // namespace ortool::cuda
