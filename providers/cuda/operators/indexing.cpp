// Gather, scatter, one-hot, top-k, cumulative sums, and quantization of elements.
#include <array>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/math/cumulative.hpp"
#include "libcore/ops/quantization/dequantize_linear.hpp"
#include "libcore/ops/quantization/quantize_linear.hpp"
#include "libcore/ops/tensor/indexing/gather.hpp"
#include "libcore/ops/tensor/indexing/gather_elements.hpp"
#include "libcore/ops/tensor/indexing/gather_nd.hpp"
#include "libcore/ops/tensor/indexing/one_hot.hpp"
#include "libcore/ops/tensor/indexing/scatter_elements.hpp"
#include "libcore/ops/tensor/indexing/scatter_nd.hpp"
#include "libcore/ops/tensor/indexing/top_k.hpp"
#include "providers/cuda/operators/byte_operands.hpp"
#include "providers/cuda/operators/float8_products.hpp"

namespace ortool::cuda {
namespace {

std::size_t emit_gather(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const DeviceTensor data = builder.input(node, 0);
  const std::int64_t axis = normalize_axis(read_op<Gather>(node).axis, data.shape.rank());
  emit_slices(builder, node, data, builder.input(node, 1), axis, builder.make_output(node));
  return 0;
}

void launch_elements_of(DevicePlanBuilder& builder, const Node& node, const DeviceTensor& from,
                        const DeviceTensor& indices, const DeviceTensor& to, std::int64_t axis,
                        bool scatters) {
  if (indices.count() == 0) return;
  const Shape& indexed = scatters ? to.shape : from.shape;
  for (std::int64_t i = 0; i < indexed.rank(); ++i) {
    if (i == normalize_axis(axis, indexed.rank()) || indices.shape[i] <= indexed[i]) continue;
    throw Error(ErrorCode::invalid,
                format("'indices' has {} elements along axis {} (expected {} at most)",
                       indices.shape[i], i, indexed[i]));
  }
  GatherElementsParams params = {};
  params.from = from.pointer();
  params.indices = indices.pointer();
  params.to = to.pointer();
  params.status = static_cast<std::int32_t*>(builder.status());
  params.status_value = builder.status_of(node);
  params.bytes = static_cast<std::int32_t>(bytes_of(from.type, 1));
  params.index_type = indices.element();
  params.axis = static_cast<std::int32_t>(normalize_axis(axis, indexed.rank()));
  params.axis_size = indexed[params.axis];
  params.count = indices.count();
  params.sizes.axes = static_cast<std::int32_t>(indexed.rank());
  const std::vector<std::int64_t> strides = strides_of(indexed);
  for (std::int64_t i = 0; i < indexed.rank(); ++i) {
    params.sizes.size[i] = indices.shape[i];
    params.strides[i] = strides[static_cast<std::size_t>(i)];
  }
  const std::int64_t threads =
      scatters ? params.count / params.sizes.size[params.axis] : params.count;
  builder.launch_elements(scatters ? KernelId::scatter_elements : KernelId::gather_elements,
                          threads, params,
                          {&params.from, &params.indices, &params.to, &params.status});
}

std::size_t emit_gather_elements(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  launch_elements_of(builder, node, builder.input(node, 0), builder.input(node, 1),
                     builder.make_output(node), read_op<GatherElements>(node).axis, false);
  return 0;
}

template <typename Op>
std::size_t emit_scatter_elements(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const DeviceTensor data = builder.input(node, 0);
  const DeviceTensor to = builder.make_output(node);
  if (to.count() == 0) return 0;
  builder.command_list().copy(to.memory, data.memory, bytes_of(to.type, to.count()));
  launch_elements_of(builder, node, builder.input(node, 2), builder.input(node, 1), to,
                     read_op<Op>(node).axis, true);
  return 0;
}

template <typename Op>
std::string refuses_reduction(const Node& node) {
  return read_op<Op>(node).reduction != ScatterReduction::none
             ? "sums of scattered elements run on the cpu, in a fixed order"
             : "";
}

void launch_nd(DevicePlanBuilder& builder, const Node& node, const DeviceTensor& from,
               const DeviceTensor& indices, const DeviceTensor& to, std::int64_t batch_dims,
               bool scatters) {
  const Shape& indexed = scatters ? to.shape : from.shape;
  const std::int64_t depth = indices.shape[indices.shape.rank() - 1];
  const std::vector<std::int64_t> strides = strides_of(indexed);
  GatherNdParams params = {};
  params.count = indices.shape.product(0, indices.shape.rank() - 1);
  params.slice = indexed.product(batch_dims + depth, indexed.rank());
  if (params.count * params.slice == 0) return;
  params.from = from.pointer();
  params.indices = indices.pointer();
  params.to = to.pointer();
  params.status = static_cast<std::int32_t*>(builder.status());
  params.status_value = builder.status_of(node);
  params.bytes = static_cast<std::int32_t>(bytes_of(from.type, 1));
  params.index_type = indices.element();
  params.slices_per_batch = params.count / indexed.product(0, batch_dims);
  params.batch_stride = indexed.product(batch_dims, indexed.rank());
  params.indexed.axes = static_cast<std::int32_t>(depth);
  for (std::int64_t i = 0; i < depth; ++i) {
    params.indexed.size[i] = indexed[batch_dims + i];
    params.strides[i] = strides[static_cast<std::size_t>(batch_dims + i)];
  }
  builder.launch_elements(scatters ? KernelId::scatter_nd : KernelId::gather_nd,
                          scatters ? params.slice : params.count * params.slice, params,
                          {&params.from, &params.indices, &params.to, &params.status});
}

std::size_t emit_gather_nd(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const DeviceTensor from = builder.input(node, 0);
  const DeviceTensor to = builder.make_output(node);
  if (to.count() > 0)
    launch_nd(builder, node, from, builder.input(node, 1), to, read_op<GatherND>(node).batch_dims,
              false);
  return 0;
}

std::size_t emit_scatter_nd(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const DeviceTensor data = builder.input(node, 0);
  const DeviceTensor to = builder.make_output(node);
  if (to.count() == 0) return 0;
  builder.command_list().copy(to.memory, data.memory, bytes_of(to.type, to.count()));
  launch_nd(builder, node, builder.input(node, 2), builder.input(node, 1), to, 0, true);
  return 0;
}

std::string refuses_one_hot(const Node& node) {
  return is_real(type_of(node.input(0))) ? "indices are not integers" : "";
}

std::size_t emit_one_hot(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const OneHot op = read_op<OneHot>(node);
  const DeviceTensor indices = builder.input(node, 0);
  const DeviceTensor values = builder.input(node, 2);
  const DeviceTensor to = builder.make_output(node);
  if (to.count() == 0) return 0;
  const std::int64_t axis = normalize_axis(op.axis, to.shape.rank());
  OneHotParams params = {};
  params.indices = indices.pointer();
  params.values = values.pointer();
  params.output = to.pointer();
  params.index_type = indices.element();
  params.bytes = static_cast<std::int32_t>(bytes_of(to.type, 1));
  params.counts_from_end = op.counts_from_end ? 1 : 0;
  params.depth = to.shape[axis];
  params.inner = to.shape.product(axis + 1, to.shape.rank());
  params.count = to.count();
  builder.launch_elements(KernelId::one_hot, params.count, params,
                          {&params.indices, &params.values, &params.output});
  return 0;
}

std::size_t emit_top_k(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const TopK op = read_op<TopK>(node);
  const DeviceTensor from = builder.input(node, 0);
  const std::int64_t axis = normalize_axis(op.axis, from.shape.rank());
  TopKParams params = {};
  params.input = from.pointer();
  for (std::int64_t i = 0; i < node.output_count(); ++i) {
    if (node.output(i) == nullptr) continue;
    const DeviceTensor to = builder.make_output(node, i);
    params.k = to.shape[axis];
    (i == 0 ? params.values : reinterpret_cast<void*&>(params.indices)) = to.pointer();
  }
  params.type = from.element();
  params.largest = op.largest ? 1 : 0;
  params.size = from.shape[axis];
  params.inner = from.shape.product(axis + 1, from.shape.rank());
  params.rows = params.size == 0 ? 0 : from.count() / params.size;
  if (from.count() == 0 || params.k == 0) return 0;
  builder.launch_elements(is_real(from.type) ? KernelId::top_k_real : KernelId::top_k_i64,
                          from.count(), params, {&params.input, &params.values, &params.indices});
  return 0;
}

std::string refuses_unknown_axis(const Node& node) {
  return node.input(1)->is_constant() ? "" : "the axis is known during the run alone";
}

template <typename Op>
std::size_t emit_cumulative(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const CumulativeOp op = read_op<Op>(node);
  const DeviceTensor from = builder.input(node, 0);
  const DeviceTensor to = builder.make_output(node);
  if (to.count() == 0) return 0;
  const std::int64_t axis = normalize_axis(builder.integers(node, 1).front(), from.shape.rank());
  CumulativeParams params = {};
  params.input = from.pointer();
  params.output = to.pointer();
  params.type = from.element();
  params.multiplies = std::is_same_v<Op, CumProd> ? 1 : 0;
  params.exclusive = op.exclusive ? 1 : 0;
  params.reverse = op.reverse ? 1 : 0;
  params.size = from.shape[axis];
  params.inner = from.shape.product(axis + 1, from.shape.rank());
  params.lines = from.count() / params.size;
  const KernelId kernel = !is_real(from.type)              ? KernelId::cumulative_i64
                          : from.type == DataType::float64 ? KernelId::cumulative_f64
                                                           : KernelId::cumulative_f32;
  builder.launch_elements(kernel, params.lines, params, {&params.input, &params.output});
  return 0;
}

bool is_code_type(DataType type) {
  return is_float8(type) || type == DataType::int8 || type == DataType::uint8 ||
         type == DataType::int16 || type == DataType::uint16;
}

bool is_quantized_float(DataType type) {
  return type == DataType::float32 || type == DataType::float16 || type == DataType::bfloat16;
}

/// The type of the division: the scale's unless the node tells another.
DataType quotient_type(const Node& quantize) {
  return read_op<QuantizeLinear>(quantize).precision.value_or(type_of(quantize.input(1)));
}

void launch_quantize(DevicePlanBuilder& builder, const Node& node, const Granularity& granularity,
                     bool dequantizes) {
  const bool has_one_scale =
      builder.shape(node, 1).element_count() == 1 && granularity.block_size == 0;
  const DeviceTensor from = has_one_scale ? builder.stored_input(node, 0) : builder.input(node, 0);
  const DeviceTensor scale = exact_floats(builder, node, 1);
  const DeviceTensor zero_point = builder.input(node, 2);
  const DeviceTensor to = builder.make_output(node, 0, from.is_channels_last);
  if (to.count() == 0) return;
  QuantizeParams params = {};
  params.input = from.pointer();
  params.scale = scale.pointer();
  params.zero_point = zero_point.pointer();
  params.output = to.pointer();
  params.input_type = from.element();
  params.scale_type = scale.element();
  params.output_type = to.element();
  params.dequantizes = dequantizes ? 1 : 0;
  if (!dequantizes) params.quotient_type = static_cast<std::int32_t>(quotient_type(node));
  params.count = to.count();
  params.inner = params.axis_size = params.block = params.blocks = 1;
  params.has_one_scale = has_one_scale ? 1 : 0;
  if (!has_one_scale) {
    const std::int64_t axis = normalize_axis(granularity.axis, from.shape.rank());
    params.inner = from.shape.product(axis + 1, from.shape.rank());
    params.axis_size = from.shape[axis];
    params.is_blocked = granularity.block_size > 0 ? 1 : 0;
    params.block = std::max<std::int64_t>(1, granularity.block_size);
    params.blocks = scale.shape[std::min(axis, scale.shape.rank() - 1)];
  }
  builder.launch_elements(KernelId::quantize, params.count, params,
                          {&params.input, &params.scale, &params.zero_point, &params.output});
}

std::size_t emit_quantize(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  launch_quantize(builder, node, read_op<QuantizeLinear>(node).granularity, false);
  return 0;
}
std::size_t emit_dequantize(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const auto emit = [&builder, &node] {
    launch_quantize(builder, node, read_op<DequantizeLinear>(node).granularity, true);
  };
  // A product may multiply the codes.
  if (dequantizes_float8(node)) {
    builder.defer(*node.output(0), emit);
  } else {
    emit();
  }
  return 0;
}

std::string refuses_quantize(const Node& node) {
  for (const DataType type :
       {type_of(node.input(0)), type_of(node.input(1)), quotient_type(node)}) {
    if (!is_quantized_float(type))
      return format("only float32 and floats of 16 bits are quantized on the device, not {}",
                    name_of(type));
  }
  if (!is_code_type(type_of(node.output(0))))
    return "only codes of 8 and 16 bits are made on the device";
  if (is_float8(type_of(node.output(0))) && !read_op<QuantizeLinear>(node).saturate)
    return "float8 that does not saturate is made on the cpu";
  return {};
}
std::string refuses_dequantize(const Node& node) {
  if (!is_code_type(type_of(node.input(0))))
    return "only codes of 8 and 16 bits are read on the device";
  for (const DataType type : {type_of(node.input(1)), type_of(node.output(0))}) {
    if (!is_quantized_float(type))
      return format("only float32 and floats of 16 bits are dequantized on the device, not {}",
                    name_of(type));
  }
  return {};
}

constexpr OperatorTypes elements = OperatorTypes::elements;
constexpr OperatorTypes numbers = OperatorTypes::numbers;
constexpr std::array<OperatorRow, 12> rows = {{
    {"", "Gather", elements, 0, nullptr, emit_gather},
    {"", "GatherElements", elements, 0, nullptr, emit_gather_elements},
    {"", "GatherND", elements, 0, nullptr, emit_gather_nd},
    {"", "ScatterElements", elements, 0, refuses_reduction<ScatterElements>,
     emit_scatter_elements<ScatterElements>},
    {"", "Scatter", elements, 0, nullptr, emit_scatter_elements<Scatter>},
    {"", "ScatterND", elements, 0, refuses_reduction<ScatterND>, emit_scatter_nd},
    {"", "OneHot", numbers, 0b10, refuses_one_hot, emit_one_hot},
    {"", "TopK", numbers, 0b10, nullptr, emit_top_k},
    {"", "CumSum", numbers, 0b10, refuses_unknown_axis, emit_cumulative<CumSum>},
    {"", "CumProd", numbers, 0b10, refuses_unknown_axis, emit_cumulative<CumProd>},
    {"", "QuantizeLinear", numbers, 0, refuses_quantize, emit_quantize, 0b10},
    {"", "DequantizeLinear", elements, 0, refuses_dequantize, emit_dequantize, 0b10},
}};

}  // namespace

void emit_slices(DevicePlanBuilder& builder, const Node& node, const DeviceTensor& data,
                 const DeviceTensor& indices, std::int64_t axis, const DeviceTensor& to) {
  if (to.count() == 0) return;
  GatherParams params = {};
  params.data = data.pointer();
  params.indices = indices.pointer();
  params.output = to.pointer();
  params.status = static_cast<std::int32_t*>(builder.status());
  params.status_value = builder.status_of(node);
  params.bytes = static_cast<std::int32_t>(bytes_of(data.type, 1));
  params.index_type = indices.element();
  params.outer = data.shape.product(0, axis);
  params.axis_size = data.shape[axis];
  params.index_count = indices.count();
  params.inner = data.shape.product(axis + 1, data.shape.rank());
  builder.launch_elements(KernelId::gather, to.count(), params,
                          {&params.data, &params.indices, &params.output, &params.status});
}

std::span<const OperatorRow> indexing_rows() {
  return rows;
}

}  // namespace ortool::cuda
