// Convolutions, pools and resizing.
#include <algorithm>
#include <array>

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

/// Windows of one or two axes with equal pads at both ends are the library's.
bool is_library_window(const std::vector<WindowAxis>& window) {
  return window.size() <= 2;
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
    params.from_sizes[i] = sizes[i];
    if (i >= 2) {
      WindowAxis& axis = window[i - 2];
      // A window may end before the last pad.
      const std::int64_t used =
          (axis.out - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1;
      params.begins[i] = axis.pad_begin;
      sizes[i] = std::max(used, axis.pad_begin + sizes[i]);
      axis.in = sizes[i];
      axis.pad_begin = 0;
      axis.pad_end = 0;
    }
    params.sizes.size[i] = sizes[i];
  }
  const DeviceTensor padded = builder.make(images.type, Shape(sizes));
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
  for (int i = 0; i < 3; ++i) {
    params.in[i] = params.out[i] = params.kernel[i] = params.stride[i] = params.dilation[i] = 1;
    const std::size_t skipped = 3 - window.size();
    if (static_cast<std::size_t>(i) < skipped) continue;
    const WindowAxis& axis = window[static_cast<std::size_t>(i) - skipped];
    params.in[i] = axis.in;
    params.out[i] = axis.out;
    params.kernel[i] = axis.kernel;
    params.stride[i] = axis.stride;
    params.dilation[i] = axis.dilation;
    params.pad[i] = axis.pad_begin;
  }
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
  const std::size_t skipped = 2 - window.size();
  for (std::size_t i = 0; i < window.size(); ++i) {
    desc.in[skipped + i] = window[i].in;
    desc.out[skipped + i] = window[i].out;
    desc.kernel[skipped + i] = window[i].kernel;
    desc.stride[skipped + i] = window[i].stride;
    desc.dilation[skipped + i] = window[i].dilation;
    desc.pad[skipped + i] = window[i].pad_begin;
  }
  desc.uses_tf32 = builder.constants().precision() == DevicePrecision::tf32;
  return desc;
}

std::size_t emit_conv(DevicePlanBuilder& builder, const Node& node, FusedNodes fused_nodes) {
  const Conv op = read_op<Conv>(node);
  const Shape& shape = builder.output_shape(node);
  DeviceTensor images = builder.input(node, 0);
  const DeviceTensor weights = builder.input(node, 1);
  const DeviceTensor bias = builder.input(node, 2);
  std::vector<WindowAxis> window = op.place(images.shape, weights.shape);
  if (shape.element_count() == 0) {
    builder.make_output(node);
    return 0;
  }
  if (images.count() > 0 && is_library_window(window) && images.type != DataType::float64) {
    images = pad_images(builder, images, window);
    ConvDesc desc = describe_conv(builder, window, op.groups, images, shape);
    Epilogue epilogue(builder, node, fused_nodes);
    epilogue.set_bias(bias);
    std::int64_t inner = 1;
    for (const WindowAxis& axis : window) inner *= axis.out;
    epilogue.match(shape[1], inner, true);
    desc.has_bias = epilogue.bias().is_given();
    desc.has_addend = epilogue.addend().is_given();
    desc.has_relu = epilogue.has_relu();
    if (PrimitivePtr primitive = builder.device().make_conv(desc)) {
      ConvPointers pointers = {};
      pointers.input = images.pointer();
      pointers.weights = weights.pointer();
      pointers.bias = epilogue.bias().pointer();
      pointers.addend = epilogue.addend().pointer();
      pointers.out = epilogue.make_output().pointer();
      builder.command_list().convolve(std::move(primitive), pointers);
      return epilogue.folded();
    }
  }
  emit_direct(builder, window, op.groups, images, weights, bias, builder.make_output(node), false);
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
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t skipped = 3 - window.size();
    const WindowAxis axis = i < skipped ? WindowAxis{.in = 1, .out = 1} : window[i - skipped];
    params.in[i] = axis.in;
    params.out[i] = axis.out;
    params.kernel[i] = axis.kernel;
    params.stride[i] = axis.stride;
    params.dilation[i] = axis.dilation;
    params.pad_begin[i] = axis.pad_begin;
    params.pad_end[i] = axis.pad_end;
  }
  return params;
}

void launch_pool(DevicePlanBuilder& builder, const Node& node, PoolParams params) {
  const DeviceTensor images = builder.input(node, 0);
  const DeviceTensor output = builder.make_output(node);
  if (node.output_count() > 1 && node.output(1) != nullptr)
    params.indices = builder.make_output(node, 1).pointer();
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
  const DeviceTensor images = builder.input(node, 0);
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
    {"", "MaxPool", reals, 0, refuses_axes, emit_max_pool},
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
