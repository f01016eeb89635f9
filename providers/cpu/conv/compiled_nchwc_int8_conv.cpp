// Compiled int8 NCHWc convolution: chooses the algorithm, packs weights, and sets parameters.
#include "providers/cpu/conv/compiled_nchwc_int8_conv.hpp"

#include <algorithm>
#include <span>

#include "kernels/cpu/conv/f32_nchw/algorithms.hpp"
#include "kernels/cpu/conv/int8_nchw/exact_sums.hpp"
#include "kernels/cpu/gemm/int8/pack.hpp"
#include "libcore/base/file/mapping_guard.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/quantization/qlinear_conv.hpp"
#include "libcore/ops/quantization/quantized_conv.hpp"
#include "libcore/provider/product_epilogue.hpp"
#include "libcore/tensor/convert.hpp"
#include "providers/cpu/conv/conv_params.hpp"
#include "providers/cpu/support/quantization_params.hpp"

namespace ortool::cpu {
namespace {

/// Element `index` of a constant array of floats, or its only element.
float float_at(const NodeView& view, std::int64_t input, std::int64_t index) {
  const Tensor& list = *view.constant(input);
  return static_cast<float>(element_as_double(list, list.element_count() == 1 ? 0 : index));
}

/// A float for each channel, which runs read: those of the model, unless they are a part of a file,
/// whose pages are not to stay.
Tensor floats_of_channels(const NodeView& view, std::int64_t input, std::int64_t channels) {
  const Tensor& given = *view.constant(input);
  const std::span<const std::byte> bytes(given.bytes(),
                                         static_cast<std::size_t>(given.size_bytes()));
  if (given.type() == DataType::float32 && given.element_count() == channels &&
      remembered_mapping_around(bytes).empty())
    return given;
  Tensor copy(DataType::float32, Shape({channels}));
  for (std::int64_t i = 0; i < channels; ++i)
    copy.mutable_data<float>()[static_cast<std::size_t>(i)] = float_at(view, input, i);
  return copy;
}

void pack_int8_weights(const NodeView& view, const CompileContext& context,
                       CompiledNchwcInt8Conv& conv) {
  const Shape& shape = view.constant(weights_input)->shape();
  ConvSizes sizes;
  sizes.groups = conv.op.groups;
  sizes.channels_in = multiply_sizes(shape[1], sizes.groups);
  sizes.channels_out = shape[0];
  for (std::int64_t i = 2; i < shape.rank(); ++i)
    sizes.kernel[max_spatial_axes - shape.rank() + i] = shape[i];
  const std::uint8_t* weights = constant_bytes(view, weights_input);
  conv.weights = context.pack(
      packed_nchwc_int8_conv_bytes(sizes, conv.from_nchw, weights, conv.desc.weight_flip,
                                   conv.algorithm),
      {static_cast<std::int64_t>(conv.algorithm.isa), conv.algorithm.is_winograd ? 1 : 0,
       conv.from_nchw ? 1 : 0, conv.desc.weight_flip},
      [&](std::byte* packed) {
        pack_nchwc_int8_conv(sizes, conv.from_nchw, weights, conv.desc.weight_flip, conv.algorithm,
                             packed);
      });
}

void set_params(const NodeView& view, CompiledNchwcInt8Conv& conv) {
  const Shape& shape = view.constant(weights_input)->shape();
  const std::int64_t channels = shape[0];
  const std::int64_t depth = shape.product(1, shape.rank());
  const auto stored = static_cast<std::size_t>((channels + 31) / 32 * 32);
  conv.offsets.resize(stored);
  conv.scales.resize(stored);
  conv.weight_scales = floats_of_channels(view, weight_scale_input, channels);
  conv.floats.weight_scales = conv.weight_scales.data<float>().data();
  Int8ConvParams& params = conv.params;
  params.image_zero = flipped_zero(view.input_type(image_input),
                                   constant_bytes(view, image_zero_input), 0, conv.desc.image_flip);
  conv.floats.image_scale = float_at(view, image_scale_input, 0);
  conv.floats.out_scale = float_at(view, out_scale_input, 0);
  const auto* biases =
      view.node().input(bias_input) == nullptr
          ? nullptr
          : reinterpret_cast<const std::int32_t*>(constant_bytes(view, bias_input));
  for (std::int64_t i = 0; i < channels; ++i) {
    const auto index = static_cast<std::size_t>(i);
    const auto sum = static_cast<std::uint32_t>(sum_signed_bytes(
        constant_bytes(view, weights_input) + i * depth, depth, 1, conv.desc.weight_flip));
    const auto bias = static_cast<std::uint32_t>(biases != nullptr ? biases[i] : 0);
    conv.offsets[index] =
        static_cast<std::int32_t>(bias - static_cast<std::uint32_t>(params.image_zero) * sum);
    conv.scales[index] =
        conv.floats.image_scale * conv.floats.weight_scales[i] / conv.floats.out_scale;
  }
  params.epilogue.output = EpilogueOutput::int8;
  params.epilogue.offsets = conv.offsets.data();
  params.epilogue.scales = conv.scales.data();
  if (conv.op.has_floats) {
    if (view.node().input(float_bias_input) != nullptr) {
      conv.float_biases = floats_of_channels(view, float_bias_input, channels);
      conv.floats.biases = conv.float_biases.data<float>().data();
    }
    conv.op.has_floats =
        !has_exact_sums(channels, depth, constant_bytes(view, weights_input), conv.desc.weight_flip,
                        conv.floats, params.image_zero, biases);
  }
  if (conv.op.has_floats) {
    params.floats = &conv.floats;
  } else {
    conv.weight_scales = Tensor();
    conv.float_biases = Tensor();
  }
  const DataType type = view.input_type(out_zero_input);
  params.epilogue.range = int8_range(
      epilogue_of(view).bounds, flipped_zero(type, constant_bytes(view, out_zero_input), 0, 0));
}

}  // namespace

NchwcInt8ConvOp read_int8_conv(const Node& node) {
  if (node.op_type() == "QuantizedConv") {
    const auto op = read_op<ortool::QuantizedConv>(node);
    return {op.window, op.groups, true};
  }
  const auto op = read_op<ortool::QLinearConv>(node);
  return {op.window, op.groups, false};
}

const std::uint8_t* constant_bytes(const NodeView& view, std::int64_t input) {
  return reinterpret_cast<const std::uint8_t*>(view.constant(input)->bytes());
}

std::uint8_t image_flip(const NodeView& view) {
  return view.input_type(image_input) == DataType::int8 ? 128 : 0;
}

std::uint8_t weight_flip(const NodeView& view) {
  return view.input_type(weights_input) == DataType::uint8 ? 128 : 0;
}

std::optional<ConvSizes> guessed_sizes(const NodeView& view, const NchwcInt8ConvOp& op) {
  constexpr std::int64_t common = 32;
  const Shape& weights = view.constant(weights_input)->shape();
  const PartialShape& given = view.node().input(image_input)->type().shape;
  std::vector<std::int64_t> shape = {1, weights[1] * op.groups};
  for (std::int64_t axis = 2; axis < weights.rank(); ++axis) {
    const auto index = static_cast<std::size_t>(axis);
    const bool is_known = given && index < given->size() && (*given)[index].is_known();
    shape.push_back(is_known ? (*given)[index].number() : std::max(common, 8 * weights[axis]));
  }
  if (given && !given->empty() && (*given)[0].is_known()) shape[0] = (*given)[0].number();
  if (shape[0] <= 0 || shape[1] <= 0) return std::nullopt;
  const Shape image(shape);
  try {
    const auto window =
        place_window(op.window, image.dimensions().subspan(2), weights.dimensions().subspan(2));
    return placed_conv_sizes(image, weights, op.groups, window);
  } catch (const Error&) {
    return std::nullopt;  // reported once the sizes are known
  }
}

ConvSizes nchwc_int8_conv_sizes(const Shape& x, const Shape& weights, const NchwcInt8ConvOp& op) {
  return placed_conv_sizes(
      x, weights, op.groups,
      place_window(op.window, x.dimensions().subspan(2), weights.dimensions().subspan(2)));
}

bool is_small_convolution(const NodeView& view, const NchwcInt8ConvOp& op) {
  constexpr double few_products = 100'000;
  const std::optional<ConvSizes> sizes = guessed_sizes(view, op);
  return sizes && sizes->groups == 1 &&
         static_cast<double>(sizes->batch) * static_cast<double>(volume(sizes->out)) *
                 static_cast<double>(sizes->channels_out) *
                 static_cast<double>(sizes->channels_in) *
                 static_cast<double>(volume(sizes->kernel)) <
             few_products;
}

void compile_nchwc_int8_conv(const NodeView& view, Isa isa, const CompileContext& context,
                             CompiledNchwcInt8Conv& conv) {
  conv.op = read_int8_conv(view.node());
  conv.from_nchw = view.layouts().input(image_input) == Layout::plain;
  if (isa == Isa::amx && is_small_convolution(view, conv.op)) isa = Isa::avx512;
  conv.max_threads = context.max_threads;
  conv.desc = {image_flip(view), weight_flip(view)};
  const std::optional<ConvSizes> guessed = guessed_sizes(view, conv.op);
  conv.algorithm = {isa};
  if (guessed) {
    conv.algorithm = choose_int8_conv_algorithm(
        *guessed, conv.from_nchw, constant_bytes(view, weights_input), conv.desc.weight_flip, isa);
  }
  pack_int8_weights(view, context, conv);
  set_params(view, conv);
}

}  // namespace ortool::cpu
