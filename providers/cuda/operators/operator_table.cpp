// Operator table: lookup, types, and chains of elementwise nodes.
#include "providers/cuda/operators/operator_table.hpp"

#include <algorithm>
#include <array>

#include "libcore/base/format.hpp"
#include "libcore/ops/own_domain.hpp"
#include "providers/cuda/operators/byte_operands.hpp"
#include "providers/cuda/operators/byte_residual.hpp"
#include "providers/cuda/operators/float8_products.hpp"

namespace ortool::cuda {
namespace {

bool has_name(const Node& node, std::string_view domain, std::string_view op_type) {
  if (node.op_type() != op_type) return false;
  return node.domain() == domain || (domain.empty() && node.domain() == own_domain);
}

bool contains(OperatorTypes types, DataType type) {
  switch (type) {
    case DataType::float32:
    case DataType::float16:
    case DataType::bfloat16:
      return true;
    case DataType::float64:
      return types != OperatorTypes::floats;
    case DataType::boolean:
    case DataType::int8:
    case DataType::uint8:
    case DataType::int16:
    case DataType::uint16:
    case DataType::int32:
    case DataType::uint32:
    case DataType::int64:
      return types == OperatorTypes::numbers || types == OperatorTypes::elements;
    case DataType::uint64:
    case DataType::float8e4m3fn:
    case DataType::float8e5m2:
      return types == OperatorTypes::elements;
    default:
      return false;
  }
}

std::string refused_type(const Value* value, OperatorTypes types) {
  if (value == nullptr) return {};
  if (!value->type().is_tensor()) return "an operand is not a tensor";
  if (contains(types, value->type().element)) return {};
  return format("{} is not computed on the device", name_of(value->type().element));
}

std::string refused_types(const Node& node, OperatorTypes types, std::uint32_t parameters) {
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const Value* value = node.input(i);
    if (value == nullptr) continue;
    // Indices and masks beside the data.
    const bool is_free = i < 32 && (parameters >> i & 1U) != 0;
    const OperatorTypes allowed = i == 0 && !is_free ? types : OperatorTypes::elements;
    std::string reason = refused_type(value, allowed);
    if (!reason.empty()) return reason;
    if (rank_of(value) < 0) return "the rank of an operand is unknown";
  }
  for (std::int64_t i = 0; i < node.output_count(); ++i) {
    const Value* value = node.output(i);
    std::string reason = refused_type(value, OperatorTypes::elements);
    if (!reason.empty()) return reason;
    if (value != nullptr && rank_of(value) < 0) return "the rank of a result is unknown";
    if (value != nullptr && rank_of(value) > max_axes)
      return format("a result has {} axes (the device takes {} at most)", rank_of(value), max_axes);
  }
  return {};
}

/// Types that chains of several nodes are computed in.
bool is_chain_type(DataType type) {
  return type == DataType::float32 || type == DataType::boolean;
}

bool is_one_number(const Value* value) {
  if (value == nullptr || !value->is_constant()) return false;
  const auto shape = to_known(value->type().shape);
  return shape && shape->element_count() == 1;
}

bool is_byte_conv(const Node& node) {
  return node.op_type() == "QLinearConv" || node.op_type() == "QuantizedConv";
}

bool has_known_bounds(const Node& clip) {
  for (std::int64_t i = 1; i < clip.input_count(); ++i) {
    if (clip.input(i) != nullptr && !clip.input(i)->is_constant()) return false;
  }
  return true;
}

/// Whether `next` belongs to the product of bytes `head`, of which `node` is the last member so
/// far: a Cast of exact sums, or of bytes a Clip, and then a residual or a DequantizeLinear.
bool folds_bytes(const Node& head, const Node& node, const Node& next) {
  if (node.output_count() != 1) return false;
  const bool is_product = head.op_type() == "QLinearMatMul";
  const bool is_last =
      &node == &head || (node.op_type() == "Clip" && is_byte(type_of(node.output(0))));
  if ((is_product || is_byte_conv(head)) && is_last && adds_bytes(node, next)) return true;
  if (&node != &head || !next.domain().empty() || next.input(0) != node.output(0)) return false;
  if (next.op_type() == "Cast")
    return head.op_type() == "MatMulInteger" && type_of(next.output(0)) == DataType::float32;
  if (!is_byte(type_of(node.output(0)))) return false;
  if (next.op_type() == "DequantizeLinear")
    return is_product && is_one_number(next.input(1)) &&
           type_of(next.output(0)) == DataType::float32;
  return next.op_type() == "Clip" && has_known_bounds(next) && (is_product || is_byte_conv(head));
}

bool has_chain_types(const Node& node) {
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    if (node.input(i) != nullptr && !is_chain_type(type_of(node.input(i)))) return false;
  }
  return is_chain_type(type_of(node.output(0)));
}

}  // namespace

const ElementRow* find_element_row(const Node& node) {
  for (const ElementRow& row : element_rows()) {
    if (has_name(node, row.domain, row.op_type)) return &row;
  }
  return nullptr;
}

std::span<const std::span<const OperatorRow>> operator_families() {
  static const std::array<std::span<const OperatorRow>, 11> families = {
      product_rows(),      image_rows(),     reduction_rows(),       norm_rows(),
      movement_rows(),     indexing_rows(),  attention_rows(),       recurrent_rows(),
      byte_product_rows(), byte_conv_rows(), byte_elementwise_rows()};
  return families;
}

const OperatorRow* find_operator_row(const Node& node) {
  for (const auto& rows : operator_families()) {
    for (const OperatorRow& row : rows) {
      if (has_name(node, row.domain, row.op_type)) return &row;
    }
  }
  return nullptr;
}

std::string refusal_of(const Node& node) {
  if (const ElementRow* row = find_element_row(node)) {
    std::string reason = refused_types(node, row->types, row->parameters);
    for (std::int64_t i = 1; i < node.input_count() && reason.empty(); ++i)
      reason = refused_type(node.input(i), OperatorTypes::numbers);
    if (reason.empty() && row->refuses != nullptr) reason = row->refuses(node);
    return reason;
  }
  const OperatorRow* row = find_operator_row(node);
  if (row == nullptr) return format("the device has no kernel for {}", node.op_type());
  std::string reason = refused_types(node, row->types, row->parameters);
  if (reason.empty() && row->refuses != nullptr) reason = row->refuses(node);
  return reason;
}

std::uint32_t parameters_of(const Node& node) {
  if (const ElementRow* row = find_element_row(node)) return row->parameters;
  const OperatorRow* row = find_operator_row(node);
  return row == nullptr ? 0 : row->parameters;
}

std::uint32_t packed_inputs_of(const Node& node) {
  const OperatorRow* row = find_element_row(node) == nullptr ? find_operator_row(node) : nullptr;
  // Codes that products alone read are packed for them.
  const std::uint32_t codes = is_read_by_products(node) ? 1 : 0;
  return row == nullptr ? 0 : row->packed | codes;
}

bool can_fold(const Node& node) {
  const OperatorRow* row = find_operator_row(node);
  if (row == nullptr) return false;
  for (const auto& rows : {product_rows(), byte_product_rows(), byte_conv_rows()}) {
    if (row >= rows.data() && row < rows.data() + rows.size()) return true;
  }
  return node.op_type() == "Conv";
}

bool can_follow(const Node& head, const Node& node, const Node& next) {
  if (folds_bytes(head, node, next)) return true;
  const ElementRow* row = find_element_row(next);
  if (row == nullptr || node.output_count() != 1) return false;
  if (!has_chain_types(next) || !is_chain_type(type_of(node.output(0)))) return false;
  std::int64_t places = 0;
  for (std::int64_t i = 0; i < next.input_count(); ++i) {
    if (next.input(i) != node.output(0)) continue;
    if (i > 1 || (i == 1 && !row->takes_second)) return false;
    ++places;
  }
  return places == 1;
}

void emit_chain(DevicePlanBuilder& builder, FusedNodes nodes, const Value* start) {
  std::optional<Chain> chain;
  const Value* value = start;
  bool is_channels_last = false;
  bool stays_exact = false;
  std::vector<const Node*> group;
  const auto store = [&] {
    builder.command_list().set_group(*group.front(), group);
    if (stays_exact && type_of(value) == DataType::float32) {
      builder.set(*value, builder.make(DataType::float32, chain->result()));
      chain->store(builder.stored_tensor(*value));
    } else {
      chain->store(
          builder.make_output(*value->producer(), value->producer_index(), is_channels_last));
    }
    chain.reset();
    group.clear();
  };
  for (const Node* node : nodes) {
    const ElementRow& row = *find_element_row(*node);
    const Shape& shape = builder.output_shape(*node);
    const auto steps = static_cast<std::int32_t>(node->input_count()) + 2;
    if (chain && (chain->result() != shape || !chain->has_room(steps, steps))) store();
    std::int64_t chain_input = 0;
    for (std::int64_t i = 0; i < node->input_count() && value != nullptr; ++i) {
      if (node->input(i) == value) chain_input = i;
    }
    group.push_back(node);
    builder.command_list().set_node(group.front());
    if (!chain) {
      const DeviceTensor first = builder.stored_input(*node, chain_input);
      is_channels_last = first.is_channels_last && first.shape == shape;
      // Scales, which float16 may be too short for.
      stays_exact = first.type == DataType::float32 &&
                    builder.constants().stored_type(first.type) != first.type && shape.rank() <= 1;
      chain.emplace(builder, first, shape);
    }
    row.append(*chain, builder, *node, chain_input);
    value = node->output(0);
  }
  store();
}

DataType type_of(const Value* value) {
  return value != nullptr && value->type().is_tensor() ? value->type().element
                                                       : DataType::undefined;
}

bool is_real(DataType type) {
  return type == DataType::float32 || type == DataType::float16 || type == DataType::bfloat16 ||
         type == DataType::float64;
}

std::int64_t rank_of(const Value* value) {
  if (value == nullptr || !value->type().is_tensor() || !value->type().shape) return -1;
  return static_cast<std::int64_t>(value->type().shape->size());
}

bool is_used(const Node& node, std::int64_t output) {
  return output < node.output_count() && node.output(output) != nullptr &&
         !node.output(output)->uses().empty();
}

Shape sizes_in_memory(const DeviceTensor& tensor) {
  const Shape& shape = tensor.shape;
  return tensor.is_channels_last ? Shape{shape[0], shape[2], shape[3], shape[1]} : shape;
}

std::vector<std::int64_t> strides_of(const Shape& shape) {
  std::vector<std::int64_t> strides(static_cast<std::size_t>(shape.rank()));
  std::int64_t stride = 1;
  for (std::int64_t axis = shape.rank(); axis-- > 0;) {
    strides[static_cast<std::size_t>(axis)] = stride;
    stride *= shape[axis];
  }
  return strides;
}

void emit_copy(DevicePlanBuilder& builder, const DeviceTensor& from, std::int64_t from_offset,
               const Shape& sizes, const std::vector<std::int64_t>& from_strides,
               const DeviceTensor& to, std::int64_t to_offset,
               const std::vector<std::int64_t>& to_strides) {
  if (sizes.element_count() == 0) return;
  const std::int64_t bytes = bytes_of(from.type, 1);
  CopyParams params = {};
  params.from = from.memory.plus(from_offset * bytes).as_pointer();
  params.to = to.memory.plus(to_offset * bytes).as_pointer();
  params.bytes = static_cast<std::int32_t>(bytes);
  params.count = sizes.element_count();
  std::int32_t& axes = params.sizes.axes;
  for (std::int64_t axis = 0; axis < sizes.rank(); ++axis) {
    if (sizes[axis] == 1) continue;
    const std::int64_t in = from_strides[static_cast<std::size_t>(axis)];
    const std::int64_t out = to_strides[static_cast<std::size_t>(axis)];
    const bool joins = axes > 0 && params.from_strides[axes - 1] == in * sizes[axis] &&
                       params.to_strides[axes - 1] == out * sizes[axis];
    if (!joins && axes == max_axes)
      throw Error(ErrorCode::unsupported,
                  format("a copy has more than {} axes (the cuda provider's most)", max_axes));
    if (!joins) params.sizes.size[axes++] = 1;
    params.sizes.size[axes - 1] *= sizes[axis];
    params.from_strides[axes - 1] = in;
    params.to_strides[axes - 1] = out;
  }
  const bool is_dense =
      axes == 0 || (axes == 1 && params.from_strides[0] == 1 && params.to_strides[0] == 1);
  if (is_dense) {
    builder.command_list().copy(to.memory.plus(to_offset * bytes),
                                from.memory.plus(from_offset * bytes), params.count * bytes);
    return;
  }
  builder.launch_elements(KernelId::copy_strided, params.count, params, {&params.from, &params.to});
}

KernelId kernel_for(DataType type, KernelId f32, KernelId f16, KernelId any, KernelId f64) {
  switch (type) {
    case DataType::float32:
      return f32;
    case DataType::float16:
      return f16;
    case DataType::float64:
      return f64;
    default:
      return any;
  }
}

}  // namespace ortool::cuda
