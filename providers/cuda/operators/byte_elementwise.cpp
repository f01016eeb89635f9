// Elementwise operators and means of quantized bytes, table lookups, and quantization by the range
// of the elements.
#include <algorithm>
#include <array>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/quantization/quantized_binary.hpp"
#include "libcore/ops/quantization/quantized_mean.hpp"
#include "providers/cuda/operators/byte_operands.hpp"

namespace ortool::cuda {
namespace {

float known_float(const DevicePlanBuilder& builder, const Node& node, std::int64_t input) {
  return known_floats(builder, node, input).front();
}

ByteBinaryOp operation_of(QuantizedBinary::Operation operation) {
  switch (operation) {
    case QuantizedBinary::Operation::subtract:
      return ByteBinaryOp::subtract;
    case QuantizedBinary::Operation::multiply:
      return ByteBinaryOp::multiply;
    default:
      return ByteBinaryOp::add;
  }
}

std::size_t emit_binary(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const auto op = read_op<QuantizedBinary>(node);
  const DeviceTensor a = builder.stored_input(node, 0);
  const DeviceTensor b = builder.stored_input(node, 3);
  const Shape& shape = builder.output_shape(node);
  const bool is_last =
      (a.is_channels_last && a.shape == shape) || (b.is_channels_last && b.shape == shape);
  const DeviceTensor output = builder.make_output(node, 0, is_last);
  if (output.count() == 0) return 0;
  const BroadcastLoops loops = broadcast_loops(output, {a, b});
  ByteBinaryParams params = {};
  params.a = static_cast<const std::uint8_t*>(a.pointer());
  params.b = static_cast<const std::uint8_t*>(b.pointer());
  params.out = static_cast<std::uint8_t*>(output.pointer());
  params.op = operation_of(op.operation);
  params.low = static_cast<std::int32_t>(op.low);
  params.high = static_cast<std::int32_t>(op.high);
  params.a_zero = zero_points(builder, node, 2, a.type);
  params.b_zero = zero_points(builder, node, 5, b.type);
  params.out_zero = zero_points(builder, node, 7, output.type).data;
  params.out_type = output.element();
  params.a_scale = known_float(builder, node, 1);
  params.b_scale = known_float(builder, node, 4);
  params.out_scale = known_float(builder, node, 6);
  params.count = output.count();
  params.sizes = loops.sizes;
  std::copy(loops.strides[0].begin(), loops.strides[0].end(), params.a_strides);
  std::copy(loops.strides[1].begin(), loops.strides[1].end(), params.b_strides);
  builder.launch_elements(KernelId::byte_binary, params.count, params,
                          {&params.a, &params.b, &params.out, &params.a_zero.data,
                           &params.b_zero.data, &params.out_zero});
  return 0;
}

std::size_t emit_mean(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const auto op = read_op<QuantizedMean>(node);
  const DeviceTensor images = builder.stored_input(node, 0);
  // Of one pixel, so that both orders are the same.
  const DeviceTensor output = builder.make_output(node);
  if (output.count() == 0) return 0;
  ByteMeanParams params = {};
  params.input = static_cast<const std::uint8_t*>(images.pointer());
  params.out = static_cast<std::uint8_t*>(output.pointer());
  params.zero = zero_points(builder, node, 2, images.type);
  params.out_zero = zero_points(builder, node, 4, output.type).data;
  params.out_type = output.element();
  params.low = static_cast<std::int32_t>(op.low);
  params.high = static_cast<std::int32_t>(op.high);
  params.scale = known_float(builder, node, 1);
  params.out_scale = known_float(builder, node, 3);
  params.rows = output.count();
  params.channels = images.shape[1];
  params.pixels = images.count() / output.count();
  params.image_stride = params.channels * params.pixels;
  params.channel_stride = images.is_channels_last ? 1 : params.pixels;
  params.pixel_stride = images.is_channels_last ? params.channels : 1;
  constexpr int threads = 64;
  builder.launch_rows(KernelId::byte_mean, params.rows, threads, params,
                      {&params.input, &params.out, &params.zero.data, &params.out_zero});
  return 0;
}

std::size_t emit_lookup(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const DeviceTensor input = builder.stored_input(node, 0);
  const DeviceTensor tables = builder.input(node, 1);
  const DeviceTensor output = builder.make_output(node, 0, input.is_channels_last);
  if (output.count() == 0) return 0;
  ByteLookupParams params = {};
  params.input = static_cast<const std::uint8_t*>(input.pointer());
  params.tables = static_cast<const std::uint8_t*>(tables.pointer());
  params.out = static_cast<std::uint8_t*>(output.pointer());
  params.count = output.count();
  params.inner = params.channels = 1;
  if (tables.shape.rank() == 2) {
    params.channels = tables.shape[0];
    if (!input.is_channels_last) params.inner = input.shape.product(2, input.shape.rank());
  }
  builder.launch_elements(KernelId::byte_lookup, params.count, params,
                          {&params.input, &params.tables, &params.out});
  return 0;
}

std::size_t emit_dynamic_quantize(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const DeviceTensor input = builder.input(node, 0);
  DynamicQuantizeParams params = {};
  params.input = input.pointer();
  params.type = input.element();
  params.count = input.count();
  params.out = static_cast<std::uint8_t*>(builder.make_output(node, 0).pointer());
  const auto is_given = [&](std::int64_t output) {
    return output < node.output_count() && node.output(output) != nullptr;
  };
  if (is_given(1)) {
    // In float32 whatever the precision, since products of scales are smaller than float16 holds.
    const DeviceTensor scale = builder.make(DataType::float32, builder.output_shape(node, 1));
    builder.set_output(node, 1, scale);
    params.scale = static_cast<float*>(scale.pointer());
  }
  if (is_given(2))
    params.zero_point = static_cast<std::uint8_t*>(builder.make_output(node, 2).pointer());
  params.extremes =
      static_cast<float*>(builder.make(DataType::float32, Shape{2, range_blocks}).pointer());
  constexpr int threads = 256;
  const std::initializer_list<const void*> pointers = {&params.input, &params.extremes, &params.out,
                                                       &params.scale, &params.zero_point};
  builder.launch_rows(KernelId::value_range, range_blocks, threads, params, pointers);
  builder.launch_elements(KernelId::dynamic_quantize, std::max<std::int64_t>(1, params.count),
                          params, pointers);
  return 0;
}

constexpr std::uint32_t binary_scales = 0b1010010;
constexpr std::uint32_t mean_scales = 0b1010;

template <std::uint32_t parameters>
std::string refuses_scales(const Node& node) {
  return refuses_computed(node, parameters);
}

constexpr OperatorTypes elements = OperatorTypes::elements;
constexpr std::array<OperatorRow, 5> rows = {{
    {"ortool", "QuantizedBinary", elements, binary_scales, refuses_scales<binary_scales>,
     emit_binary},
    {"ortool", "QuantizedMean", elements, mean_scales, refuses_scales<mean_scales>, emit_mean},
    {"ortool", "ByteLookup", elements, 0, nullptr, emit_lookup},
    {"ortool", "ChannelLookup", elements, 0, nullptr, emit_lookup},
    {"", "DynamicQuantizeLinear", OperatorTypes::floats, 0, nullptr, emit_dynamic_quantize},
}};

}  // namespace

std::span<const OperatorRow> byte_elementwise_rows() {
  return rows;
}

}  // namespace ortool::cuda
