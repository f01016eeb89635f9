// Convolutions of int8 and uint8: windows as rows of a product of int8, channels behind pixels;
// groups of channels by kernels of their own.
#include <algorithm>
#include <array>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/quantization/conv_integer.hpp"
#include "libcore/ops/quantization/int8_conv_inputs.hpp"
#include "libcore/ops/quantization/qlinear_conv.hpp"
#include "libcore/ops/quantization/quantized_conv.hpp"
#include "providers/cuda/operators/byte_operands.hpp"
#include "providers/cuda/operators/byte_residual.hpp"
#include "providers/cuda/operators/window_axes.hpp"

namespace ortool::cuda {
namespace {

/// Rows and sums of one product take this much at most, or else there are several.
constexpr std::int64_t most_slice_bytes = std::int64_t{64} << 20;

/// A convolution whose axes, groups and operands are known.
struct ByteConv {
  const Node& node;
  Int8ConvInputs inputs;
  DeviceTensor images;  ///< four axes, channels behind pixels
  DeviceTensor output;
  DataType weight_type = DataType::undefined;
  ByteWindows windows;
  std::int64_t taps = 1;
  ByteBounds bounds;
  ByteResidual residual = {};

  bool is_depthwise() const {
    constexpr std::int64_t word = 4;
    return windows.group_channels == 1 && windows.group_filters == 1 &&
           windows.channels % word == 0;
  }
  /// Whether images are the rows of a product as they are.
  bool is_pointwise() const {
    bool is_one = true;
    for (int i = 0; i < 2; ++i)
      is_one = is_one && windows.kernel[i] == 1 && windows.stride[i] == 1 && windows.pad[i] == 0 &&
               windows.in[i] == windows.out[i];
    return is_one;
  }
};

ByteWindows windows_of(DevicePlanBuilder& builder, const Node& node, const Int8ConvInputs& inputs,
                       const DeviceTensor& images, const std::vector<WindowAxis>& window,
                       std::int64_t groups, const Shape& weights) {
  ByteWindows windows = {};
  windows.images = static_cast<const std::uint8_t*>(images.pointer());
  windows.image_zero = zero_points(builder, node, inputs.image_zero, images.type);
  windows.batch = images.shape[0];
  windows.channels = images.shape[1];
  windows.filters = weights[0];
  windows.group_channels = weights[1];
  windows.group_filters = weights[0] / groups;
  const auto axes = set_windows(windows, window);
  for (std::size_t i = 0; i < axes.size(); ++i) windows.pad[i] = axes[i].pad_begin;
  return windows;
}

/// Weights as filters x taps x channels, or as taps x channels of depthwise ones.
PackedWeights pack_filters(DevicePlanBuilder& builder, const ByteConv& conv, bool is_product,
                           std::int64_t padded_size) {
  const std::int64_t taps = conv.taps;
  const std::int64_t channels = conv.windows.group_channels;
  WeightLayout layout;
  layout.rows = conv.windows.filters;
  layout.size = taps * channels;
  layout.padded_rows = is_product ? padded_columns(layout.rows) : layout.rows;
  layout.padded_size = padded_size;
  layout.has_rows_behind = !is_product && conv.is_depthwise();
  layout.source = [=](std::int64_t row, std::int64_t place) {
    return (row * channels + place % channels) * taps + place / channels;
  };
  return pack_weights(builder, conv.node, conv.inputs.weights, layout,
                      {is_product            ? 1
                       : conv.is_depthwise() ? 2
                                             : 3,
                       padded_size});
}

SumEpilogue epilogue_of(DevicePlanBuilder& builder, const ByteConv& conv,
                        const PackedWeights& weights) {
  const Int8ConvInputs& inputs = conv.inputs;
  const Node& node = conv.node;
  SumEpilogue epilogue = {};
  epilogue.out = conv.output.pointer();
  epilogue.result = SumResult::integers;
  epilogue.out_type = conv.output.element();
  epilogue.a_zero = conv.windows.image_zero;
  epilogue.b_zero = zero_points(builder, node, inputs.weight_zero, conv.weight_type);
  epilogue.depth = conv.taps * conv.windows.group_channels;
  epilogue.column_sums = static_cast<const std::int32_t*>(weights.sums.as_pointer());
  if (inputs.bias >= 0)
    epilogue.biases = static_cast<const std::int32_t*>(builder.input(node, inputs.bias).pointer());
  if (inputs.out_scale < 0) return epilogue;
  epilogue.result = SumResult::bytes;
  const float image_scale = known_floats(builder, node, inputs.image_scale).front();
  const float out_scale = known_floats(builder, node, inputs.out_scale).front();
  const std::vector<float> weight_scales = known_floats(builder, node, inputs.weight_scale);
  const std::int64_t filters = conv.windows.filters;
  epilogue.scales =
      upload_floats(builder, column_scales(image_scale, weight_scales, out_scale, filters));
  const DataType type = type_of(node.output(0));
  epilogue.byte_zero = zero_points(builder, node, inputs.out_zero, type).data;
  epilogue.byte_type = static_cast<std::int32_t>(type);
  epilogue.low = conv.bounds.low;
  epilogue.high = conv.bounds.high;
  epilogue.residual = conv.residual;
  if (!inputs.has_floats) return epilogue;
  RoundingTies& ties = epilogue.ties;
  ties.weight_scales = upload_floats(builder, column_scales(1, weight_scales, 1, filters));
  if (builder.has_input(node, inputs.float_bias))
    ties.biases = upload_floats(builder, known_floats(builder, node, inputs.float_bias));
  ties.weights = static_cast<const std::int8_t*>(weights.bytes.as_pointer());
  ties.image_scale = image_scale;
  ties.out_scale = out_scale;
  return epilogue;
}

void emit_groups(DevicePlanBuilder& builder, const ByteConv& conv) {
  const std::int64_t size = conv.taps * conv.windows.group_channels;
  const PackedWeights weights = pack_filters(builder, conv, false, size);
  ByteConvParams params = {};
  params.windows = conv.windows;
  params.weights = static_cast<const std::int8_t*>(weights.bytes.as_pointer());
  params.epilogue = epilogue_of(builder, conv, weights);
  SumEpilogue& epilogue = params.epilogue;
  const bool is_depthwise = conv.is_depthwise();
  epilogue.ties.filter_stride = is_depthwise ? 1 : size;
  epilogue.ties.tap_stride = is_depthwise ? conv.windows.channels : conv.windows.group_channels;
  epilogue.ties.channel_stride = 1;
  constexpr std::int64_t word = 4;
  builder.launch_elements(
      is_depthwise ? KernelId::depthwise_byte_conv : KernelId::grouped_byte_conv,
      conv.output.count() / (is_depthwise ? word : 1), params,
      {&params.windows.images, &params.windows.image_zero.data, &params.weights, &epilogue.out,
       &epilogue.a_zero.data, &epilogue.b_zero.data, &epilogue.column_sums, &epilogue.biases,
       &epilogue.scales, &epilogue.byte_zero, &epilogue.ties.weight_scales, &epilogue.ties.biases,
       &epilogue.ties.weights, &epilogue.residual.bytes, &epilogue.residual.zero.data,
       &epilogue.residual.sum_zero.data, &epilogue.residual.out_zero});
}

/// Rows of a slice of pixels in memory that all slices share.
EncodedPointer emit_window_rows(DevicePlanBuilder& builder, const ByteConv& conv,
                                EncodedPointer memory, std::int64_t first, std::int64_t rows,
                                std::int64_t padded_size) {
  WindowRowsParams params = {};
  params.windows = conv.windows;
  params.to = static_cast<std::uint8_t*>(memory.as_pointer());
  params.first = first;
  params.rows = rows;
  params.padded_size = padded_size;
  constexpr std::int64_t word = 4;
  builder.launch_elements(KernelId::window_rows, rows * padded_size / word, params,
                          {&params.windows.images, &params.windows.image_zero.data, &params.to});
  return memory;
}

void emit_product(DevicePlanBuilder& builder, const ByteConv& conv) {
  constexpr std::int64_t word = 4;
  const std::int64_t size = conv.taps * conv.windows.channels;
  const bool is_in_place =
      conv.is_pointwise() && conv.images.type == DataType::int8 && size % word == 0;
  const std::int64_t padded_size = is_in_place ? size : padded_depth(size);
  const std::int64_t filters = conv.windows.filters;
  const std::int64_t padded_filters = padded_columns(filters);
  const PackedWeights weights = pack_filters(builder, conv, true, padded_size);
  const std::int64_t pixels = conv.windows.batch * conv.windows.out[0] * conv.windows.out[1];
  const std::int64_t sum_bytes = bytes_of(DataType::int32, padded_filters);
  constexpr std::int64_t least_rows = 64;
  const std::int64_t most_rows =
      std::max(least_rows, most_slice_bytes / (padded_size + sum_bytes) / least_rows * least_rows);
  const std::int64_t slice = std::min(pixels, most_rows);
  const DeviceTensor sums = builder.make(DataType::int32, Shape{slice, padded_filters});
  const EncodedPointer windows =
      is_in_place ? EncodedPointer{}
                  : builder.make(DataType::int8, Shape{slice, padded_size}).memory;
  const bool needs_row_sums =
      !are_zero(builder, conv.node, conv.inputs.weight_zero, conv.weight_type);
  RequantizeParams params = {};
  params.epilogue = epilogue_of(builder, conv, weights);
  SumEpilogue& epilogue = params.epilogue;
  epilogue.ties.filter_stride = padded_size;
  epilogue.ties.tap_stride = conv.windows.channels;
  epilogue.ties.channel_stride = 1;
  params.sums = static_cast<const std::int32_t*>(sums.pointer());
  params.columns = filters;
  params.padded_columns = padded_filters;
  params.matrix_rows = pixels;
  params.windows = conv.windows;
  for (std::int64_t first = 0; first < pixels; first += slice) {
    const std::int64_t rows = std::min(slice, pixels - first);
    const EncodedPointer from =
        is_in_place ? conv.images.memory.plus(first * padded_size)
                    : emit_window_rows(builder, conv, windows, first, rows, padded_size);
    if (needs_row_sums)
      params.row_sums =
          static_cast<const std::int32_t*>(sum_rows(builder, from, rows, padded_size).as_pointer());
    multiply_bytes(builder,
                   {from, weights.bytes, sums.memory, 1, rows, padded_filters, padded_size, 0, 0});
    params.first = first;
    params.rows = params.row_period = rows;
    builder.launch_elements(
        KernelId::requantize_sums, rows * filters, params,
        {&params.sums, &params.row_sums, &params.windows.images, &params.windows.image_zero.data,
         &epilogue.out, &epilogue.a_zero.data, &epilogue.b_zero.data, &epilogue.column_sums,
         &epilogue.biases, &epilogue.scales, &epilogue.byte_zero, &epilogue.ties.weight_scales,
         &epilogue.ties.biases, &epilogue.ties.weights, &epilogue.residual.bytes,
         &epilogue.residual.zero.data, &epilogue.residual.sum_zero.data,
         &epilogue.residual.out_zero});
  }
}

/// With an axis of one pixel before the last one.
Shape with_two_axes(const Shape& shape) {
  return shape.rank() == 4 ? shape : Shape{shape[0], shape[1], 1, shape[2]};
}

template <typename Op>
std::size_t emit_byte_conv(DevicePlanBuilder& builder, const Node& node, FusedNodes fused_nodes,
                           Int8ConvInputs inputs) {
  const auto op = read_op<Op>(node);
  if (!builder.has_input(node, inputs.bias)) inputs.bias = -1;
  const Shape& shape = builder.output_shape(node);
  const bool has_two_axes = shape.rank() == 4;
  ByteConv conv = {node, inputs, {}, {}, type_of(node.input(inputs.weights)), {}, 1, {}};
  conv.bounds = bounds_of(type_of(node.output(0)));
  std::size_t folded = fold_clip(builder, fused_nodes, conv.bounds) ? 1 : 0;
  const Node* result = folded > 0 ? fused_nodes.front() : &node;
  if (std::optional<DeviceTensor> residual = fold_residual(
          builder, *result, fused_nodes.subspan(folded), has_two_axes, conv.residual)) {
    residual->shape = with_two_axes(residual->shape);
    conv.residual.bytes =
        static_cast<const std::uint8_t*>(builder.in_layout(*residual, true).pointer());
    result = fused_nodes[folded++];
  }
  if (shape.element_count() == 0) {
    builder.make_output(*result);
    return folded;
  }
  DeviceTensor images =
      has_two_axes ? builder.input_in(node, inputs.image, true) : builder.input(node, inputs.image);
  const Shape weights = builder.shape(node, inputs.weights);
  const std::vector<WindowAxis> window = place_window(
      op.window, images.shape.dimensions().subspan(2), weights.dimensions().subspan(2));
  images.shape = with_two_axes(images.shape);
  conv.images = builder.in_layout(images, true);
  conv.windows = windows_of(builder, node, inputs, conv.images, window, op.groups, weights);
  conv.taps = conv.windows.kernel[0] * conv.windows.kernel[1];
  conv.output = has_two_axes ? builder.make_output(*result, 0, true)
                             : builder.make(type_of(result->output(0)), with_two_axes(shape), true);
  if (op.groups == 1 && conv.taps * conv.windows.channels > 0) {
    emit_product(builder, conv);
  } else {
    emit_groups(builder, conv);
  }
  if (!has_two_axes) {
    DeviceTensor plain = builder.in_layout(conv.output, false);
    plain.shape = shape;
    builder.set_output(*result, 0, std::move(plain));
  }
  return folded;
}

std::size_t emit_conv_integer(DevicePlanBuilder& builder, const Node& node, FusedNodes nodes) {
  return emit_byte_conv<ConvInteger>(builder, node, nodes, conv_integer_inputs);
}
std::size_t emit_qlinear_conv(DevicePlanBuilder& builder, const Node& node, FusedNodes nodes) {
  return emit_byte_conv<QLinearConv>(builder, node, nodes, qlinear_conv_inputs);
}
std::size_t emit_quantized_conv(DevicePlanBuilder& builder, const Node& node, FusedNodes nodes) {
  return emit_byte_conv<QuantizedConv>(builder, node, nodes, quantized_conv_inputs);
}

/// Weights and scales are known before the run.
constexpr std::uint32_t integer_parameters = 0b10;
constexpr std::uint32_t linear_parameters = 0b1011010;
constexpr std::uint32_t constant_parameters = linear_parameters | 1U << 9U;

template <std::uint32_t parameters>
std::string refuses_byte_conv(const Node& node) {
  const std::int64_t rank = rank_of(node.input(0));
  if (rank != 3 && rank != 4)
    return format("an image of bytes has {} axes (the device takes 3 and 4)", rank);
  return refuses_computed(node, parameters);
}

constexpr OperatorTypes elements = OperatorTypes::elements;
constexpr std::array<OperatorRow, 3> rows = {{
    {"", "ConvInteger", elements, integer_parameters, refuses_byte_conv<integer_parameters>,
     emit_conv_integer},
    {"", "QLinearConv", elements, linear_parameters, refuses_byte_conv<linear_parameters>,
     emit_qlinear_conv},
    {"ortool", "QuantizedConv", elements, constant_parameters,
     refuses_byte_conv<constant_parameters>, emit_quantized_conv},
}};

}  // namespace

std::span<const OperatorRow> byte_conv_rows() {
  return rows;
}

}  // namespace ortool::cuda
