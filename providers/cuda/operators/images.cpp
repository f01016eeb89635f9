// Convolutions, pools and resizing.
#include <algorithm>
#include <array>
#include <optional>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/conv/conv.hpp"
#include "libcore/ops/nn/conv/conv_transpose.hpp"
#include "libcore/ops/nn/pooling/global_pool.hpp"
#include "libcore/ops/nn/pooling/pool.hpp"
#include "libcore/ops/window_sizes.hpp"
#include "providers/cuda/operators/epilogue.hpp"
#include "providers/cuda/operators/operator_table.hpp"
#include "providers/cuda/operators/resize_tables.hpp"
#include "providers/cuda/operators/window_axes.hpp"

namespace ortool::cuda {
namespace {

std::string refuses_axes(const Node& node) {
  const std::int64_t rank = rank_of(node.input(0));
  if (rank < 3 || rank > 5) return format("an image has {} axes (the device takes 3 to 5)", rank);
  return {};
}

std::string refuses_conv(const Node& node) {
  for (std::int64_t i = 1; i < node.input_count(); ++i) {
    if (node.input(i) != nullptr && type_of(node.input(i)) != type_of(node.input(0)))
      return "operands differ in type";
  }
  return refuses_axes(node);
}

/// Numbers of other types are refused, but bytes, which are exact in float32.
std::string refuses_max_pool(const Node& node) {
  const DataType type = type_of(node.input(0));
  if (!is_real(type) && type != DataType::int8 && type != DataType::uint8)
    return format("{} is not computed on the device", name_of(type));
  return refuses_axes(node);
}

/// Windows of one or two axes with equal pads at both ends are the library's.
bool is_library_window(const std::vector<WindowAxis>& window) {
  return window.size() <= 2;
}

/// A convolution of 1 x 1 on images with channels last, as a product of pixels and weights.
PrimitivePtr make_pointwise(DevicePlanBuilder& builder, const ConvDesc& conv) {
  if (!conv.is_channels_last || !builder.constants().settings().has_pointwise_products ||
      conv.groups != 1)
    return nullptr;
  for (int i = 0; i < 2; ++i) {
    if (conv.kernel[i] != 1 || conv.stride[i] != 1 || conv.pad[i] != 0) return nullptr;
  }
  ProductDesc desc;
  desc.type = conv.type;
  desc.m = conv.batch * conv.out[0] * conv.out[1];
  desc.n = conv.out_channels;
  desc.k = conv.in_channels;
  desc.transpose_b = true;
  desc.has_bias = conv.has_bias;
  desc.has_addend = conv.has_addend;
  desc.has_relu = conv.has_relu;
  desc.uses_tf32 = conv.uses_tf32;
  try {
    return builder.device().make_product(desc);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    return nullptr;
  }
}

bool has_depthwise_kernel(const DevicePlanBuilder& builder, const ConvDesc& conv) {
  constexpr std::int64_t most_results = std::int64_t{1} << 32;
  return conv.is_channels_last && builder.constants().settings().has_depthwise_kernel &&
         conv.groups > 1 && conv.groups == conv.in_channels && conv.groups == conv.out_channels &&
         !conv.has_addend && conv.batch * conv.groups * conv.out[0] * conv.out[1] < most_results;
}

void emit_depthwise(DevicePlanBuilder& builder, const Node& node, const ConvDesc& conv,
                    const DeviceTensor& images, const Epilogue& epilogue) {
  const DeviceTensor output = epilogue.make_output();
  ConvParams params = {};
  params.input = images.pointer();
  params.weights = builder.input_in(node, 1, true).pointer();
  params.bias = epilogue.bias().pointer();
  params.output = output.pointer();
  params.type = images.element();
  params.has_relu = epilogue.has_relu() ? 1 : 0;
  params.batch = conv.batch;
  params.groups = conv.groups;
  for (int i = 0; i < 2; ++i) {
    params.in[i + 1] = conv.in[i];
    params.out[i + 1] = conv.out[i];
    params.kernel[i + 1] = conv.kernel[i];
    params.stride[i + 1] = conv.stride[i];
    params.dilation[i + 1] = conv.dilation[i];
    params.pad[i + 1] = conv.pad[i];
  }
  builder.launch_elements(
      images.type == DataType::float16 ? KernelId::depthwise_f16 : KernelId::depthwise_any,
      output.count(), params, {&params.input, &params.weights, &params.bias, &params.output});
}

/// Pads images with zeros where the pads of an axis differ, and moves the window inside.
DeviceTensor pad_images(DevicePlanBuilder& builder, const DeviceTensor& images,
                        std::vector<WindowAxis>& window) {
  bool differs = false;
  for (const WindowAxis& axis : window) differs = differs || axis.pad_begin != axis.pad_end;
  if (!differs) return images;
  std::vector<std::int64_t> sizes(images.shape.begin(), images.shape.end());
  PadParams params = {};
  params.kind = PadKind::constant;
  params.bytes = static_cast<std::int32_t>(bytes_of(images.type, 1));
  params.sizes.axes = static_cast<std::int32_t>(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::size_t place = !images.is_channels_last || i == 0 ? i : i == 1 ? 3 : i - 1;
    params.from_sizes[place] = sizes[i];
    if (i >= 2) {
      WindowAxis& axis = window[i - 2];
      // A window may end before the last pad.
      const std::int64_t used =
          (axis.out - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1;
      params.begins[place] = axis.pad_begin;
      sizes[i] = std::max(used, axis.pad_begin + sizes[i]);
      axis.in = sizes[i];
      axis.pad_begin = 0;
      axis.pad_end = 0;
    }
    params.sizes.size[place] = sizes[i];
  }
  const DeviceTensor padded = builder.make(images.type, Shape(sizes), images.is_channels_last);
  params.from = images.pointer();
  params.to = padded.pointer();
  params.count = padded.count();
  builder.launch_elements(KernelId::pad, params.count, params, {&params.from, &params.to});
  return padded;
}

void emit_direct(DevicePlanBuilder& builder, const std::vector<WindowAxis>& window,
                 std::int64_t groups, const DeviceTensor& images, const DeviceTensor& weights,
                 const DeviceTensor& bias, const DeviceTensor& output, bool is_transposed) {
  ConvParams params = {};
  params.input = images.pointer();
  params.weights = weights.pointer();
  params.bias = bias.pointer();
  params.output = output.pointer();
  params.type = images.element();
  params.transposed = is_transposed ? 1 : 0;
  params.batch = images.shape[0];
  params.groups = groups;
  params.in_channels = images.shape[1] / groups;
  params.out_channels = output.shape[1] / groups;
  const auto axes = set_windows(params, window);
  for (std::size_t i = 0; i < axes.size(); ++i) params.pad[i] = axes[i].pad_begin;
  builder.launch_elements(
      kernel_for(images.type, KernelId::direct_conv_f32, KernelId::direct_conv_any,
                 KernelId::direct_conv_any, KernelId::direct_conv_f64),
      output.count(), params, {&params.input, &params.weights, &params.bias, &params.output});
}

ConvDesc describe_conv(const DevicePlanBuilder& builder, const std::vector<WindowAxis>& window,
                       std::int64_t groups, const DeviceTensor& images, const Shape& output) {
  ConvDesc desc;
  desc.type = images.element();
  desc.batch = images.shape[0];
  desc.groups = groups;
  desc.in_channels = images.shape[1];
  desc.out_channels = output[1];
  const auto axes = set_windows(desc, window);
  for (std::size_t i = 0; i < axes.size(); ++i) desc.pad[i] = axes[i].pad_begin;
  desc.uses_tf32 = builder.constants().precision() == DevicePrecision::tf32;
  desc.is_channels_last = images.is_channels_last;
  desc.is_tuned = builder.constants().settings().tunes;
  return desc;
}

/// By the library's call, with the nodes that it folds; not given: it has no such convolution.
std::optional<std::size_t> emit_library(DevicePlanBuilder& builder, const Node& node,
                                        FusedNodes fused_nodes, const DeviceTensor& images,
                                        const std::vector<WindowAxis>& window,
                                        std::int64_t groups) {
  const Shape& shape = builder.output_shape(node);
  ConvDesc desc = describe_conv(builder, window, groups, images, shape);
  Epilogue epilogue(builder, node, fused_nodes, images.is_channels_last);
  epilogue.set_bias(builder.input(node, 2));
  std::int64_t inner = 1;
  for (const WindowAxis& axis : window) inner *= axis.out;
  epilogue.match(shape[1], inner, true);
  desc.has_bias = epilogue.bias().is_given();
  desc.has_addend = epilogue.addend().is_given();
  desc.has_relu = epilogue.has_relu();
  if (has_depthwise_kernel(builder, desc)) {
    emit_depthwise(builder, node, desc, images, epilogue);
    return epilogue.folded();
  }
  PrimitivePtr product = make_pointwise(builder, desc);
  PrimitivePtr conv = product == nullptr ? builder.device().make_conv(desc) : nullptr;
  if (product == nullptr && conv == nullptr) return std::nullopt;
  const DeviceTensor weights = builder.input_in(node, 1, images.is_channels_last);
  const void* bias = epilogue.bias().pointer();
  const void* addend = epilogue.addend().pointer();
  void* out = epilogue.make_output().pointer();
  if (product != nullptr) {
    builder.command_list().multiply(
        std::move(product), {images.pointer(), weights.pointer(), bias, addend, out, nullptr});
  } else {
    builder.command_list().convolve(
        std::move(conv), {images.pointer(), weights.pointer(), bias, addend, out, nullptr});
  }
  return epilogue.folded();
}

std::size_t emit_conv(DevicePlanBuilder& builder, const Node& node, FusedNodes fused_nodes) {
  const Conv op = read_op<Conv>(node);
  const Shape& shape = builder.output_shape(node);
  const DeviceTensor stored = builder.stored_input(node, 0);
  const std::vector<WindowAxis> placed = op.place(stored.shape, builder.shape(node, 1));
  if (shape.element_count() == 0) {
    builder.make_output(node);
    return 0;
  }
  const bool has_library =
      stored.count() > 0 && is_library_window(placed) && stored.type != DataType::float64;
  const bool prefers_last =
      stored.shape.rank() == 4 && builder.constants().is_channels_last(stored.type);
  for (const bool is_last : {true, false}) {
    if (!has_library || (is_last && !prefers_last)) continue;
    std::vector<WindowAxis> window = placed;
    const DeviceTensor images = pad_images(builder, builder.input_in(node, 0, is_last), window);
    const std::optional<std::size_t> folded =
        emit_library(builder, node, fused_nodes, images, window, op.groups);
    if (folded) return *folded;
  }
  emit_direct(builder, placed, op.groups, builder.input(node, 0), builder.input(node, 1),
              builder.input(node, 2), builder.make_output(node), false);
  return 0;
}

std::size_t emit_conv_transpose(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const ConvTranspose op = read_op<ConvTranspose>(node);
  const DeviceTensor images = builder.input(node, 0);
  const DeviceTensor weights = builder.input(node, 1);
  const DeviceTensor output = builder.make_output(node);
  if (output.count() > 0)
    emit_direct(builder, op.place(images.shape, weights.shape), op.groups, images, weights,
                builder.input(node, 2), output, true);
  return 0;
}

PoolParams place_pool(const WindowAttributes& attributes, const Shape& images) {
  const std::span<const std::int64_t> in = images.dimensions().subspan(2);
  const std::vector<WindowAxis> window =
      place_window(attributes, in, attributes.kernel, WindowFit::beyond);
  PoolParams params = {};
  params.planes = images[0] * images[1];
  params.inner = 1;
  const auto axes = set_windows(params, window);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    params.pad_begin[i] = axes[i].pad_begin;
    params.pad_end[i] = axes[i].pad_end;
  }
  return params;
}

void launch_pool(DevicePlanBuilder& builder, const Node& node, PoolParams params) {
  const bool has_indices = node.output_count() > 1 && node.output(1) != nullptr;
  const DeviceTensor images = has_indices ? builder.input(node, 0) : builder.stored_input(node, 0);
  const DeviceTensor output = builder.make_output(node, 0, images.is_channels_last);
  if (has_indices) params.indices = builder.make_output(node, 1).pointer();
  if (images.is_channels_last) {
    params.planes = images.shape[0];
    params.inner = images.shape[1];
  }
  if (output.count() == 0) return;
  params.input = images.pointer();
  params.output = output.pointer();
  params.type = images.element();
  builder.launch_elements(kernel_for(images.type, KernelId::pool_f32, KernelId::pool_f16,
                                     KernelId::pool_any, KernelId::pool_f64),
                          output.count(), params, {&params.input, &params.output, &params.indices});
}

std::size_t emit_max_pool(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const MaxPool op = read_op<MaxPool>(node);
  PoolParams params = place_pool(op.window, builder.shape(node, 0));
  params.kind = PoolKind::max;
  params.column_major = op.column_major ? 1 : 0;
  launch_pool(builder, node, params);
  return 0;
}

std::size_t emit_average_pool(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const AveragePool op = read_op<AveragePool>(node);
  PoolParams params = place_pool(op.window, builder.shape(node, 0));
  params.kind = PoolKind::average;
  params.counts_pads = op.count_pads ? 1 : 0;
  launch_pool(builder, node, params);
  return 0;
}

std::size_t emit_lp_pool(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const LpPool op = read_op<LpPool>(node);
  PoolParams params = place_pool(op.window, builder.shape(node, 0));
  params.kind = PoolKind::lp;
  params.norm = op.p;
  launch_pool(builder, node, params);
  return 0;
}

std::size_t emit_global_pool(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const DeviceTensor images = builder.stored_input(node, 0);
  // Of one pixel, so that both orders are the same.
  const DeviceTensor output = builder.make_output(node);
  if (output.count() == 0) return 0;
  ReduceParams params = {};
  params.input = images.pointer();
  params.output = output.pointer();
  params.input_type = images.element();
  params.output_type = output.element();
  params.kind = node.op_type() == "GlobalMaxPool" ? ReduceKind::max : ReduceKind::mean;
  params.outputs = output.count();
  params.reduced = images.count() / output.count();
  params.kept = {.axes = 1, .size = {params.outputs}};
  params.kept_strides[0] = params.reduced;
  params.axes = {.axes = 1, .size = {params.reduced}};
  params.strides[0] = 1;
  constexpr std::int64_t few_pixels = 256;
  if (images.is_channels_last) {
    const std::int64_t channels = images.shape[1];
    params.kept = {.axes = 2, .size = {images.shape[0], channels}};
    params.kept_strides[0] = params.reduced * channels;
    params.kept_strides[1] = 1;
    params.strides[0] = channels;
    if (params.reduced <= few_pixels) {
      builder.launch_elements(
          kernel_for(images.type, KernelId::reduce_elements_f32, KernelId::reduce_elements_f16,
                     KernelId::reduce_elements_any, KernelId::reduce_elements_f64),
          params.outputs, params, {&params.input, &params.output});
      return 0;
    }
  }
  builder.launch_rows(kernel_for(images.type, KernelId::reduce_rows_f32, KernelId::reduce_rows_f16,
                                 KernelId::reduce_rows_any, KernelId::reduce_rows_f64),
                      params.outputs, 256, params, {&params.input, &params.output});
  return 0;
}

std::string refuses_empty_pool(const Node& node) {
  const auto shape = to_known(node.input(0)->type().shape);
  if (shape && shape->element_count() == 0) return "images without pixels stay on the cpu";
  return refuses_axes(node);
}

constexpr OperatorTypes reals = OperatorTypes::reals;
constexpr std::array<OperatorRow, 9> rows = {{
    {"", "Conv", reals, 0, refuses_conv, emit_conv},
    {"", "ConvTranspose", reals, 0, refuses_conv, emit_conv_transpose},
    {"", "MaxPool", OperatorTypes::numbers, 0, refuses_max_pool, emit_max_pool},
    {"", "AveragePool", reals, 0, refuses_axes, emit_average_pool},
    {"", "LpPool", reals, 0, refuses_axes, emit_lp_pool},
    {"", "GlobalAveragePool", reals, 0, refuses_empty_pool, emit_global_pool},
    {"", "GlobalMaxPool", reals, 0, refuses_empty_pool, emit_global_pool},
    {"", "Resize", OperatorTypes::elements, 0b1110, refuses_resize, emit_resize},
    {"", "Upsample", OperatorTypes::elements, 0b10, refuses_resize, emit_resize},
}};

}  // namespace

std::span<const OperatorRow> image_rows() {
  return rows;
}

}  // namespace ortool::cuda
