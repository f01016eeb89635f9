// Chain: operands' addressing, and the kernel for the types.
#include "providers/cuda/plan/chain.hpp"

#include <algorithm>
#include <numeric>

#include "libcore/base/format.hpp"
#include "providers/cuda/kernels/device_code.hpp"

namespace ortool::cuda {

namespace {

/// The axes of a tensor, outermost first.
std::vector<std::size_t> order_of(std::int64_t rank, bool is_channels_last) {
  if (is_channels_last) return {0, 2, 3, 1};
  std::vector<std::size_t> order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

/// Strides for coordinates of a result of `rank` axes, 0 along those that are repeated.
std::vector<std::int64_t> strides_within(const DeviceTensor& operand, std::int64_t rank) {
  std::vector<std::int64_t> strides(static_cast<std::size_t>(rank), 0);
  const std::int64_t own_rank = operand.shape.rank();
  const std::vector<std::size_t> order = order_of(own_rank, operand.is_channels_last);
  std::int64_t stride = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::int64_t size = operand.shape[static_cast<std::int64_t>(order[i])];
    strides[order[i] + static_cast<std::size_t>(rank - own_rank)] = size == 1 ? 0 : stride;
    stride *= size;
  }
  return strides;
}

}  // namespace

BroadcastLoops broadcast_loops(const DeviceTensor& result,
                               const std::vector<DeviceTensor>& operands) {
  const std::int64_t rank = result.shape.rank();
  std::vector<std::int64_t> sizes;
  std::vector<std::vector<std::int64_t>> strides(operands.size());
  std::vector<std::vector<std::int64_t>> own;
  for (const DeviceTensor& operand : operands) own.push_back(strides_within(operand, rank));
  for (const std::size_t axis : order_of(rank, result.is_channels_last)) {
    const std::int64_t size = result.shape[static_cast<std::int64_t>(axis)];
    if (size == 1) continue;
    bool joins = !sizes.empty();
    for (std::size_t i = 0; i < operands.size() && joins; ++i)
      joins = strides[i].back() == own[i][axis] * size;
    if (joins) {
      sizes.back() *= size;
      for (std::size_t i = 0; i < operands.size(); ++i) strides[i].back() = own[i][axis];
    } else {
      sizes.push_back(size);
      for (std::size_t i = 0; i < operands.size(); ++i) strides[i].push_back(own[i][axis]);
    }
  }
  if (sizes.size() > max_axes) {
    throw Error(ErrorCode::unsupported,
                format("{} axes remain after joining (the cuda provider loops over {} at most)",
                       sizes.size(), max_axes));
  }
  BroadcastLoops loops;
  loops.sizes.axes = static_cast<std::int32_t>(sizes.size());
  std::copy(sizes.begin(), sizes.end(), loops.sizes.size);
  loops.strides = std::move(strides);
  return loops;
}

namespace {

/// Common cases of addressing are recognized, since they need fewer divisions.
ElementOperand make_operand(const DeviceTensor& tensor, const BroadcastLoops& loops,
                            std::size_t number) {
  const std::vector<std::int64_t>& strides = loops.strides[number];
  ElementOperand operand = {};
  operand.data = tensor.pointer();
  operand.type = tensor.element();
  operand.addressing = AddressMode::strided;
  std::copy(strides.begin(), strides.end(), operand.strides);
  const auto axes = static_cast<std::size_t>(loops.sizes.axes);
  std::int64_t stride = 1;
  bool is_same = true;
  bool is_scalar = true;
  std::size_t used = 0;
  std::size_t used_axis = 0;
  for (std::size_t axis = axes; axis-- > 0;) {
    is_same = is_same && strides[axis] == stride;
    is_scalar = is_scalar && strides[axis] == 0;
    stride *= loops.sizes.size[axis];
    if (strides[axis] == 0) continue;
    ++used;
    used_axis = axis;
  }
  if (is_scalar) {
    operand.addressing = AddressMode::scalar;
  } else if (is_same) {
    operand.addressing = AddressMode::same;
  } else if (used == 1 && strides[used_axis] == 1) {
    operand.addressing = AddressMode::channel;
    operand.inner = 1;
    for (std::size_t axis = used_axis + 1; axis < axes; ++axis)
      operand.inner *= loops.sizes.size[axis];
    operand.period = loops.sizes.size[used_axis];
  }
  return operand;
}

bool is_real_type(DataType type) {
  return type == DataType::float32 || type == DataType::float16 || type == DataType::bfloat16;
}

}  // namespace

Chain::Chain(DevicePlanBuilder& builder, DeviceTensor start, Shape result)
    : builder_(builder), result_(std::move(result)), operands_{std::move(start)} {}

bool Chain::has_room(std::int32_t steps, std::int32_t operands) const {
  return static_cast<std::int32_t>(steps_.size()) + steps <= max_steps &&
         static_cast<std::int32_t>(operands_.size()) + operands <= max_operands;
}

std::int32_t Chain::add(const DeviceTensor& operand) {
  operands_.push_back(operand);
  return static_cast<std::int32_t>(operands_.size()) - 1;
}

void Chain::apply(ElementOp op, double a, double b) {
  steps_.push_back(
      {.op = op, .operand = -1, .second_operand = -1, .is_reversed = 0, .a = a, .b = b});
}

void Chain::apply(ElementOp op, const DeviceTensor& y, bool is_reversed) {
  const std::int32_t operand = add(y);
  steps_.push_back({.op = op,
                    .operand = operand,
                    .second_operand = -1,
                    .is_reversed = is_reversed ? 1 : 0,
                    .a = 0,
                    .b = 0});
}

void Chain::select(const DeviceTensor& if_true, const DeviceTensor& if_false) {
  const std::int32_t first = add(if_true);
  const std::int32_t second = add(if_false);
  steps_.push_back({.op = ElementOp::where,
                    .operand = first,
                    .second_operand = second,
                    .is_reversed = 0,
                    .a = 0,
                    .b = 0});
}

void Chain::keep_within(double most) {
  apply(ElementOp::clip, -most, most);
}

KernelId Chain::kernel(const DeviceTensor& output) const {
  bool has_double = output.type == DataType::float64;
  bool has_real = false;
  bool is_all_float = output.type == DataType::float32;
  bool is_all_half = output.type == DataType::float16;
  for (const DeviceTensor& operand : operands_) {
    has_double = has_double || operand.type == DataType::float64;
    has_real = has_real || is_real_type(operand.type);
    is_all_float = is_all_float && operand.type == DataType::float32;
    is_all_half = is_all_half && operand.type == DataType::float16;
  }
  // Integers that only become doubles are computed as integers.
  const bool is_cast = steps_.empty();
  if (is_cast && !is_real_type(operands_[0].type) && operands_[0].type != DataType::float64)
    return KernelId::elementwise_i64;
  if (has_double) return KernelId::elementwise_f64;
  if (!has_real) return KernelId::elementwise_i64;
  if (is_all_float) return KernelId::elementwise_f32;
  return is_all_half ? KernelId::elementwise_f16 : KernelId::elementwise_any;
}

std::int64_t Chain::vector_width(const ElementwiseParams& params) const {
  const std::int32_t type = params.output_type;
  if (!builder_.constants().settings().has_vectors) return 1;
  if (type != element_f32 && type != element_f16) return 1;
  const std::int64_t width = type == element_f32 ? 4 : 8;
  const auto is_aligned = [](const void* pointer) {
    const EncodedPointer place =
        EncodedPointer::from_bits(reinterpret_cast<std::uint64_t>(pointer));
    constexpr std::int64_t vector_bytes = 16;
    return place.offset() % vector_bytes == 0;
  };
  if (params.count % width != 0 || !is_aligned(params.output)) return 1;
  for (std::int32_t i = 0; i < params.operand_count; ++i) {
    const ElementOperand& operand = params.operands[i];
    if (operand.type != type) return 1;
    const bool is_row = operand.addressing == AddressMode::channel && operand.inner == 1 &&
                        operand.period % width == 0;
    const bool is_one = operand.addressing == AddressMode::scalar ||
                        (operand.addressing == AddressMode::channel && operand.inner % width == 0);
    const bool is_dense = operand.addressing == AddressMode::same;
    if (!is_one && !((is_row || is_dense) && is_aligned(operand.data))) return 1;
  }
  return width;
}

void Chain::store(const DeviceTensor& output) {
  const std::int64_t count = result_.element_count();
  if (count == 0) return;
  const BroadcastLoops loops =
      broadcast_loops({output.type, result_, output.memory, output.is_channels_last}, operands_);
  ElementwiseParams params = {};
  params.output = output.pointer();
  params.output_type = output.element();
  params.count = count;
  params.sizes = loops.sizes;
  params.operand_count = static_cast<std::int32_t>(operands_.size());
  params.step_count = static_cast<std::int32_t>(steps_.size());
  for (std::size_t i = 0; i < operands_.size(); ++i)
    params.operands[i] = make_operand(operands_[i], loops, i);
  std::copy(steps_.begin(), steps_.end(), params.steps);
  const std::int64_t width = vector_width(params);
  const KernelId kernel = width == 1   ? this->kernel(output)
                          : width == 4 ? KernelId::elementwise_f32_vectors
                                       : KernelId::elementwise_f16_vectors;
  builder_.launch_elements(
      kernel, count / width, params,
      {&params.output, &params.operands[0].data, &params.operands[1].data, &params.operands[2].data,
       &params.operands[3].data, &params.operands[4].data, &params.operands[5].data,
       &params.operands[6].data, &params.operands[7].data});
}

}  // namespace ortool::cuda
