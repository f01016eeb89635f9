// Norms: softmax and normalizations.
#include <algorithm>
#include <array>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/normalization/batch_normalization.hpp"
#include "libcore/ops/nn/normalization/embed_layer_normalization.hpp"
#include "libcore/ops/nn/normalization/group_normalization.hpp"
#include "libcore/ops/nn/normalization/instance_normalization.hpp"
#include "libcore/ops/nn/normalization/layer_normalization.hpp"
#include "libcore/ops/nn/normalization/skip_layer_normalization.hpp"
#include "libcore/ops/nn/softmax.hpp"
#include "providers/cuda/operators/operator_table.hpp"

namespace ortool::cuda {
namespace {

template <typename Op>
std::size_t emit_softmax(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const SliceOp op = read_op<Op>(node);
  const DeviceTensor from = builder.input(node, 0);
  const DeviceTensor to = builder.make_output(node);
  if (to.count() == 0) return 0;
  const std::int64_t rank = from.shape.rank();
  const std::int64_t axis = op.flatten && (op.axis == rank || rank == 0)
                                ? rank
                                : normalize_axis(op.axis, std::max<std::int64_t>(rank, 1));
  SoftmaxParams params = {};
  params.input = from.pointer();
  params.output = to.pointer();
  params.input_type = from.element();
  params.output_type = to.element();
  params.kind = std::is_same_v<Op, Softmax>      ? SoftmaxKind::softmax
                : std::is_same_v<Op, LogSoftmax> ? SoftmaxKind::log_softmax
                                                 : SoftmaxKind::hardmax;
  params.inner = op.flatten || rank == 0 ? 1 : from.shape.product(axis + 1, rank);
  params.size = rank == 0 ? 1 : op.flatten ? from.shape.product(axis, rank) : from.shape[axis];
  params.rows = from.count() / params.size;
  if (params.kind == SoftmaxKind::hardmax) {
    builder.launch_elements(KernelId::hardmax, params.rows, params,
                            {&params.input, &params.output});
  } else {
    builder.launch_rows(kernel_for(from.type, KernelId::softmax_f32, KernelId::softmax_f16,
                                   KernelId::softmax_any, KernelId::softmax_f64),
                        params.rows, row_threads, params, {&params.input, &params.output});
  }
  return 0;
}

NormParams start_norm(const DeviceTensor& from, const DeviceTensor& to, const DeviceTensor& scale,
                      const DeviceTensor& bias, float epsilon) {
  NormParams params = {};
  params.input = from.pointer();
  params.output = to.pointer();
  params.scale = scale.pointer();
  params.bias = bias.pointer();
  params.type = from.element();
  params.scale_type = scale.is_given() ? scale.element() : from.element();
  params.statistics_type = static_cast<std::int32_t>(DataType::float32);
  params.subtracts_mean = 1;
  params.divides = 1;
  params.epsilon = epsilon;
  params.row_period = 1;
  params.inner = 1;
  return params;
}

/// Whether a warp can hold a row as vectors.
bool has_row_vectors(const DevicePlanBuilder& builder, DataType type, const NormParams& params) {
  constexpr std::int64_t longest_row = 1024;
  if (!builder.constants().settings().has_vectors) return false;
  if (type != DataType::float32 && type != DataType::float16) return false;
  const std::int64_t width = type == DataType::float32 ? 4 : 8;
  for (const void* pointer :
       {params.input, params.skip, params.scale, params.bias,
        static_cast<const void*>(params.output), static_cast<const void*>(params.sum)}) {
    const EncodedPointer place =
        EncodedPointer::from_bits(reinterpret_cast<std::uint64_t>(pointer));
    constexpr std::int64_t vector_bytes = 16;
    if (pointer != nullptr && place.offset() % vector_bytes != 0) return false;
  }
  return params.size % width == 0 && params.size <= longest_row && params.row_period == 1 &&
         params.inner == 1 && params.scale_type == params.type && params.mean == nullptr &&
         params.inverse == nullptr;
}

void launch_norm(DevicePlanBuilder& builder, DataType type, const NormParams& params) {
  if (params.rows == 0 || params.size == 0) return;
  if (has_row_vectors(builder, type, params)) {
    constexpr std::int64_t rows_per_block = 8;
    builder.launch_rows(type == DataType::float32 ? KernelId::normalize_f32_vectors
                                                  : KernelId::normalize_f16_vectors,
                        (params.rows + rows_per_block - 1) / rows_per_block, row_threads, params,
                        {&params.input, &params.skip, &params.scale, &params.bias, &params.output,
                         &params.sum, &params.mean, &params.inverse});
    return;
  }
  builder.launch_rows(kernel_for(type, KernelId::normalize_f32, KernelId::normalize_f16,
                                 KernelId::normalize_any, KernelId::normalize_f64),
                      params.rows, row_threads, params,
                      {&params.input, &params.skip, &params.scale, &params.bias, &params.output,
                       &params.sum, &params.mean, &params.inverse});
}

void set_rows(NormParams& params, const Shape& shape, std::int64_t axis) {
  const std::int64_t first = normalize_axis(axis, shape.rank());
  params.rows = shape.product(0, first);
  params.size = shape.product(first, shape.rank());
}

/// Whether scale and bias have the shape of the normalized axes, as far as known.
std::string refuses_scale(const Node& node, std::int64_t axis, std::int64_t first_scale) {
  const PartialShape& shape = node.input(0)->type().shape;
  const auto rank = static_cast<std::int64_t>(shape->size());
  const std::int64_t first = axis < 0 ? axis + rank : axis;
  for (std::int64_t i = first_scale;
       i < std::min<std::int64_t>(node.input_count(), first_scale + 2); ++i) {
    if (node.input(i) == nullptr) continue;
    const PartialShape& scale = node.input(i)->type().shape;
    if (static_cast<std::int64_t>(scale->size()) != rank - first) return "a scale is broadcast";
    for (std::int64_t k = 0; k < rank - first; ++k) {
      const Dimension& own = (*scale)[static_cast<std::size_t>(k)];
      const Dimension& wanted = (*shape)[static_cast<std::size_t>(first + k)];
      if (own.is_known() && wanted.is_known() && own.number() != wanted.number())
        return "a scale is broadcast";
      if (!own.is_known() || !wanted.is_known()) {
        if (own.is_known() && own.number() == 1) return "a scale may be broadcast";
      }
    }
    if (type_of(node.input(i)) != type_of(node.input(first_scale)))
      return "scale and bias differ in type";
  }
  return {};
}

template <typename Op>
std::size_t emit_layer_norm(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const Op op = read_op<Op>(node);
  const DeviceTensor from = builder.input(node, 0);
  const DeviceTensor to = builder.make_output(node);
  NormParams params = start_norm(
      from, to, builder.input(node, 1),
      std::is_same_v<Op, LayerNormalization> ? builder.input(node, 2) : DeviceTensor{}, op.epsilon);
  set_rows(params, from.shape, op.axis);
  params.subtracts_mean = std::is_same_v<Op, LayerNormalization> ? 1 : 0;
  if constexpr (std::is_same_v<Op, LayerNormalization>) {
    if (node.output_count() > 1 && node.output(1) != nullptr) {
      const DeviceTensor mean = builder.make_output(node, 1);
      params.mean = mean.pointer();
      params.statistics_type = mean.element();
    }
    if (node.output_count() > 2 && node.output(2) != nullptr) {
      const DeviceTensor inverse = builder.make_output(node, 2);
      params.inverse = inverse.pointer();
      params.statistics_type = inverse.element();
    }
  }
  launch_norm(builder, from.type, params);
  return 0;
}

template <typename Op>
std::string refuses_layer_norm(const Node& node) {
  if (type_of(node.output(0)) != type_of(node.input(0))) return "the result has another type";
  return refuses_scale(node, read_op<Op>(node).axis, 1);
}

std::size_t emit_skip_norm(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const auto op = read_op<SkipLayerNormalization>(node);
  const DeviceTensor from = builder.input(node, 0);
  const DeviceTensor to = builder.make_output(node);
  NormParams params =
      start_norm(from, to, builder.input(node, 2), builder.input(node, 3), op.epsilon);
  params.skip = builder.input(node, 1).pointer();
  set_rows(params, from.shape, op.axis);
  if (node.output_count() > 1 && node.output(1) != nullptr)
    params.sum = builder.make_output(node, 1).pointer();
  launch_norm(builder, from.type, params);
  return 0;
}

std::string refuses_skip_norm(const Node& node) {
  return refuses_scale(node, read_op<SkipLayerNormalization>(node).axis, 2);
}

/// Rows of a table that indices name, or the table itself.
DeviceTensor embedding_term(DevicePlanBuilder& builder, const Node& node, std::int64_t table) {
  const DeviceTensor rows = builder.input(node, table);
  const DeviceTensor indices = builder.input(node, table + 1);
  if (!rows.is_given() || !indices.is_given()) return rows;
  std::vector<std::int64_t> sizes(indices.shape.begin(), indices.shape.end());
  sizes.push_back(rows.shape[1]);
  const DeviceTensor found = builder.make(rows.type, Shape(sizes));
  emit_slices(builder, node, rows, indices, 0, found);
  return found;
}

std::size_t emit_embed_norm(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  using Embed = EmbedLayerNormalization;
  const auto op = read_op<Embed>(node);
  const Shape& shape = builder.output_shape(node);
  std::optional<Chain> chain;
  for (std::int64_t i = 0; i < Embed::max_terms; ++i) {
    const DeviceTensor term = embedding_term(builder, node, Embed::first_table + 2 * i);
    if (!term.is_given()) continue;
    if (chain) {
      chain->apply(ElementOp::add, term);
    } else {
      chain.emplace(builder, term, shape);
    }
  }
  const DeviceTensor to = builder.make_output(node);
  const bool has_sum = node.output_count() > 1 && node.output(1) != nullptr;
  const DeviceTensor sum = has_sum ? builder.make_output(node, 1) : builder.make(to.type, shape);
  chain->store(sum);
  NormParams params =
      start_norm(sum, to, builder.input(node, 0), builder.input(node, 1), op.epsilon);
  set_rows(params, shape, -1);
  launch_norm(builder, to.type, params);
  return 0;
}

std::size_t emit_group_norm(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const bool is_instance = node.op_type() == "InstanceNormalization";
  const DeviceTensor from = builder.input(node, 0);
  const DeviceTensor to = builder.make_output(node);
  if (to.count() == 0) return 0;
  const std::int64_t channels = from.shape[1];
  const std::int64_t plane = from.shape.product(2, from.shape.rank());
  std::int64_t groups = channels;
  bool scales_groups = false;
  float epsilon = 0;
  if (is_instance) {
    epsilon = read_op<InstanceNormalization>(node).epsilon;
  } else {
    const auto op = read_op<GroupNormalization>(node);
    groups = op.groups;
    epsilon = op.epsilon;
    scales_groups = op.scales_groups;
  }
  NormParams params = start_norm(from, to, builder.input(node, 1), builder.input(node, 2), epsilon);
  params.rows = from.shape[0] * groups;
  params.size = channels / groups * plane;
  params.row_period = groups;
  params.row_scales = scales_groups ? 1 : channels / groups;
  params.inner = scales_groups ? params.size : plane;
  launch_norm(builder, from.type, params);
  return 0;
}

std::size_t emit_batch_norm(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const auto op = read_op<BatchNormalization>(node);
  const DeviceTensor from = builder.input(node, 0);
  const DeviceTensor to = builder.make_output(node);
  if (to.count() == 0) return 0;
  std::vector<std::int64_t> shape(
      static_cast<std::size_t>(std::max<std::int64_t>(1, from.shape.rank() - 1)), 1);
  if (from.shape.rank() > 1) shape.front() = from.shape[1];
  const auto channel = [&](std::int64_t input) {
    DeviceTensor tensor = builder.input(node, input);
    tensor.shape = Shape(shape);
    return tensor;
  };
  // scale / sqrt(variance + epsilon), an element a channel.
  const DeviceTensor variance = channel(4);
  const DeviceTensor deviation = builder.make(variance.type, variance.shape);
  Chain root(builder, variance, variance.shape);
  root.apply(ElementOp::scale_shift, 1, static_cast<double>(op.epsilon));
  root.apply(ElementOp::sqrt);
  root.apply(ElementOp::div, channel(1), true);
  root.store(deviation);
  Chain chain(builder, from, from.shape);
  chain.apply(ElementOp::sub, channel(3));
  chain.apply(ElementOp::mul, deviation);
  chain.apply(ElementOp::add, channel(2));
  chain.store(to);
  return 0;
}

std::string refuses_batch_norm(const Node& node) {
  const auto op = read_op<BatchNormalization>(node);
  if (op.is_training) return "training statistics run on the cpu";
  if (!op.is_per_channel) return "statistics of single elements run on the cpu";
  for (std::int64_t i = 1; i < node.output_count(); ++i) {
    if (is_used(node, i)) return "statistics as results run on the cpu";
  }
  return {};
}

std::string refuses_group_norm(const Node& node) {
  return rank_of(node.input(0)) < 2 ? "an image has no channel axis" : "";
}

constexpr OperatorTypes reals = OperatorTypes::reals;
// clang-format off
constexpr std::array<OperatorRow, 10> rows = {{
    {"", "Softmax", reals, 0, nullptr, emit_softmax<Softmax>},
    {"", "LogSoftmax", reals, 0, nullptr, emit_softmax<LogSoftmax>},
    {"", "Hardmax", reals, 0, nullptr, emit_softmax<Hardmax>},
    {"", "LayerNormalization", reals, 0, refuses_layer_norm<LayerNormalization>, emit_layer_norm<LayerNormalization>},
    {"", "RMSNormalization", reals, 0, refuses_layer_norm<RMSNormalization>, emit_layer_norm<RMSNormalization>},
    {"", "SkipLayerNormalization", reals, 0, refuses_skip_norm, emit_skip_norm},
    {"ortool", "EmbedLayerNormalization", reals, 0, nullptr, emit_embed_norm},
    {"", "GroupNormalization", reals, 0, refuses_group_norm, emit_group_norm},
    {"", "InstanceNormalization", reals, 0, refuses_group_norm, emit_group_norm},
    {"", "BatchNormalization", reals, 0, refuses_batch_norm, emit_batch_norm},
}};
// clang-format on

}  // namespace

std::span<const OperatorRow> norm_rows() {
  return rows;
}

}  // namespace ortool::cuda
