// Kernels for QLinearConv and QuantizedConv in NCHW16c; all inputs but the image are constant.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "kernels/cpu/conv/int8_nchw/exact_sums.hpp"
#include "kernels/cpu/conv/int8_nchwc/conv.hpp"
#include "kernels/cpu/gemm/int8/pack.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/quantization/qlinear_conv.hpp"
#include "libcore/ops/quantization/quantized_conv.hpp"
#include "libcore/provider/product_epilogue.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "libcore/tensor/convert.hpp"
#include "providers/cpu/conv/conv_params.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/quantization_params.hpp"

namespace ortool::cpu {
namespace {

/// Input indices of the operands, for both operators.
constexpr std::int64_t image_input = 0;
constexpr std::int64_t image_scale_input = 1;
constexpr std::int64_t image_zero_input = 2;
constexpr std::int64_t weights_input = 3;
constexpr std::int64_t weight_scale_input = 4;
constexpr std::int64_t weight_zero_input = 5;
constexpr std::int64_t out_scale_input = 6;
constexpr std::int64_t out_zero_input = 7;
constexpr std::int64_t bias_input = 8;
constexpr std::int64_t float_bias_input = 9;

struct NchwcInt8ConvOp {
  WindowAttributes window;
  std::int64_t groups = 1;
  bool has_floats = false;  ///< rounding ties are decided by the float formula
};

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

/// Element `index` of a constant array of floats, or its only element.
float float_at(const NodeView& view, std::int64_t input, std::int64_t index) {
  const Tensor& list = *view.constant(input);
  return static_cast<float>(element_as_double(list, list.element_count() == 1 ? 0 : index));
}

std::uint8_t image_flip(const NodeView& view) {
  return view.input_type(image_input) == DataType::int8 ? 128 : 0;
}

std::uint8_t weight_flip(const NodeView& view) {
  return view.input_type(weights_input) == DataType::uint8 ? 128 : 0;
}

bool has_weight_zeros(const NodeView& view) {
  const DataType type = view.input_type(weights_input);
  const std::int64_t count = view.constant(weight_zero_input)->element_count();
  for (std::int64_t i = 0; i < count; ++i) {
    if (flipped_zero(type, constant_bytes(view, weight_zero_input), i, weight_flip(view)) != 0)
      return true;
  }
  return false;
}

bool accepts_nchwc_int8_conv(const NodeView& view) {
  for (std::int64_t input = image_scale_input; input <= out_zero_input; ++input) {
    if (view.constant(input) == nullptr) return false;
  }
  for (std::int64_t input = bias_input; input < view.node().input_count(); ++input) {
    if (view.node().input(input) != nullptr && view.constant(input) == nullptr) return false;
  }
  const std::int64_t rank = view.constant(weights_input)->shape().rank();
  return (rank == 3 || rank == 4) && !has_weight_zeros(view);
}

/// The sizes, with typical values for dimensions that the model leaves unknown.
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

double volume_of(const std::int64_t (&sizes)[3]) {
  return static_cast<double>(sizes[0]) * static_cast<double>(sizes[1]) *
         static_cast<double>(sizes[2]);
}

double rounded_up(std::int64_t count, std::int64_t unit) {
  return static_cast<double>((count + unit - 1) / unit * unit);
}

/// Estimated single-threaded time without VNNI, from measured rates. Results are computed eight
/// channels at a time, and the reduction in quads.
double guessed_nanoseconds_in_words(const ConvSizes& sizes, bool is_blocked, bool from_nchw) {
  constexpr std::int64_t word = 4;
  const double pixels = static_cast<double>(sizes.batch) * volume_of(sizes.out);
  const double taps = volume_of(sizes.kernel);
  if (!is_blocked) {
    const double depth =
        taps * static_cast<double>(sizes.channels_in) / static_cast<double>(sizes.groups);
    return pixels * static_cast<double>(sizes.channels_out) *
           (sizes.groups > 1 ? 1.0 : 1.5 + depth / 45);
  }
  const double results = pixels * rounded_up(sizes.channels_out, 8);
  if (sizes.groups > 1) return results * 0.5;
  double depth = taps * rounded_up(sizes.channels_in, word);
  if (from_nchw && sizes.channels_in == 1)
    depth = static_cast<double>(sizes.kernel[1]) * rounded_up(sizes.kernel[2], word);
  return results * (0.3 + depth / 75);
}

/// Estimated single-threaded time in NCHW or NCHW16c, from measured rates.
double guessed_nanoseconds(const ConvSizes& sizes, bool is_blocked, bool from_nchw, Isa isa) {
  if (isa < Isa::avx512) return guessed_nanoseconds_in_words(sizes, is_blocked, from_nchw);
  const auto filled = [&](std::int64_t channels) {
    return static_cast<double>(is_blocked ? (channels + 15) / 16 * 16 : channels);
  };
  const double results =
      static_cast<double>(sizes.batch) * volume_of(sizes.out) * filled(sizes.channels_out);
  if (sizes.groups > 1) return results * (is_blocked ? 0.3 : 1.0);
  // For NCHW input, pixels are padded to four channels, and kernel rows to four taps.
  const double depth = from_nchw
                           ? static_cast<double>(sizes.kernel[1] * ((sizes.kernel[2] + 3) / 4) * 16)
                           : volume_of(sizes.kernel) * filled(sizes.channels_in);
  if (!is_blocked) return results * (1.5 + depth / 150);
  return isa >= Isa::amx ? results * (0.15 + depth / 1500) : results * (0.1 + depth / 300);
}

/// Whether preparing the image for AMX tiles takes longer than convolving without them.
bool is_small_convolution(const NodeView& view, const NchwcInt8ConvOp& op) {
  constexpr double few_products = 100'000;
  const std::optional<ConvSizes> sizes = guessed_sizes(view, op);
  return sizes && sizes->groups == 1 &&
         static_cast<double>(sizes->batch) * volume_of(sizes->out) *
                 static_cast<double>(sizes->channels_out) *
                 static_cast<double>(sizes->channels_in) * volume_of(sizes->kernel) <
             few_products;
}

std::vector<LayoutChoice> int8_conv_layouts(const NodeView& view, const KernelRow& row) {
  const NchwcInt8ConvOp op = read_int8_conv(view.node());
  const std::optional<ConvSizes> sizes = guessed_sizes(view, op);
  if (!sizes) return {};
  const PartialShape& shape = view.node().input(image_input)->type().shape;
  if (!shape) return {};
  std::vector<LayoutChoice> choices(1);
  choices[0].nanoseconds = guessed_nanoseconds(*sizes, false, false, row.isa);
  for (const bool from_nchw : {true, false}) {
    if (!has_nchwc_int8_conv(*sizes, from_nchw, row.isa)) continue;
    LayoutChoice& choice = choices.emplace_back();
    choice.inputs.resize(view.inputs().size(), Layout::plain);
    if (!from_nchw) choice.inputs[image_input] = Layout::blocked16;
    choice.outputs = {Layout::blocked16};
    choice.nanoseconds = guessed_nanoseconds(*sizes, true, from_nchw, row.isa);
  }
  if (choices.size() == 1) return {};
  return choices;
}

/// Decided at compile time, once per node. Arrays are padded to whole blocks.
struct CompiledNchwcInt8Conv {
  NchwcInt8ConvOp op;
  bool from_nchw = false;
  bool has_float_bias = false;
  Int8ConvAlgorithm algorithm = {Isa::avx512};
  int max_threads = 1;
  Int8ConvDesc desc;
  Int8ConvParams params;
  Int8ConvFloats floats;  ///< weights and biases are set at run time
  PackedBytes weights;
  std::vector<std::int32_t> offsets;
  std::vector<float> scales;
  std::vector<float> weight_scales;
};

class NchwcInt8ConvPrepared : public Prepared {
 public:
  NchwcInt8ConvPrepared(const CompiledNchwcInt8Conv& conv, const PrepareContext& context)
      : conv_(conv), sizes_(sizes_of(conv, context)) {
    space_ = layout_.add(
        nchwc_int8_conv_workspace_bytes(sizes_, conv.from_nchw, conv.algorithm, conv.max_threads));
  }

  std::int64_t workspace_bytes() const override { return layout_.bytes(); }

  void run(const RunContext& context) const override {
    SizedWorkers workers(context.workers(), conv_.max_threads);
    Int8ConvParams params = conv_.params;
    Int8ConvFloats floats = conv_.floats;
    if (conv_.op.has_floats) {
      floats.weights = context.input<std::uint8_t>(weights_input);
      if (conv_.has_float_bias) floats.biases = context.input<float>(float_bias_input);
      params.floats = &floats;
    }
    nchwc_int8_conv(sizes_, conv_.from_nchw, context.input<std::uint8_t>(image_input), conv_.desc,
                    conv_.weights.data(), params, context.output<std::uint8_t>(0), conv_.algorithm,
                    context.workspace() + space_, workers.get());
  }

 private:
  static ConvSizes sizes_of(const CompiledNchwcInt8Conv& conv, const PrepareContext& context) {
    const Shape& x = context.inputs[image_input].shape;
    const Shape& weights = context.inputs[weights_input].shape;
    return placed_conv_sizes(
        x, weights, conv.op.groups,
        place_window(conv.op.window, x.dimensions().subspan(2), weights.dimensions().subspan(2)));
  }

  const CompiledNchwcInt8Conv& conv_;
  ConvSizes sizes_;
  WorkspaceLayout layout_;
  std::int64_t space_ = 0;
};

class NchwcInt8ConvKernel : public Kernel {
 public:
  NchwcInt8ConvKernel(const NodeView& view, const KernelRow& row, const CompileContext& context)
      : name_(row.name) {
    conv_.op = read_int8_conv(view.node());
    conv_.from_nchw = view.layouts().input(image_input) == Layout::plain;
    Isa isa = row.isa;
    if (row.isa == Isa::amx && is_small_convolution(view, conv_.op)) {
      isa = Isa::avx512;
      name_ = view.node().op_type() == "QuantizedConv" ? "quantized_conv_nchwc_avx512"
                                                       : "qlinear_conv_nchwc_avx512";
    }
    conv_.max_threads = context.max_threads;
    conv_.desc = {image_flip(view), weight_flip(view)};
    conv_.has_float_bias = conv_.op.has_floats && view.node().input(float_bias_input) != nullptr;
    const std::optional<ConvSizes> guessed = guessed_sizes(view, conv_.op);
    conv_.algorithm = {isa};
    if (guessed) {
      conv_.algorithm =
          choose_int8_conv_algorithm(*guessed, conv_.from_nchw, constant_bytes(view, weights_input),
                                     conv_.desc.weight_flip, isa);
    }
    pack(view, context);
    set_params(view);
  }

  std::string_view name() const override { return name_; }
  PreparedPtr prepare(const PrepareContext& context) const override {
    return std::make_unique<const NchwcInt8ConvPrepared>(conv_, context);
  }
  bool needs_input(std::size_t index) const override {
    if (index == weights_input) return conv_.op.has_floats;
    return index == image_input || (conv_.has_float_bias && index == float_bias_input);
  }
  std::int64_t packed_bytes() const override { return conv_.weights.size_bytes(); }

 private:
  void pack(const NodeView& view, const CompileContext& context) {
    const Shape& shape = view.constant(weights_input)->shape();
    ConvSizes sizes;
    sizes.groups = conv_.op.groups;
    sizes.channels_in = multiply_sizes(shape[1], sizes.groups);
    sizes.channels_out = shape[0];
    for (std::int64_t i = 2; i < shape.rank(); ++i)
      sizes.kernel[max_spatial_axes - shape.rank() + i] = shape[i];
    const std::uint8_t* weights = constant_bytes(view, weights_input);
    conv_.weights = context.pack(
        packed_nchwc_int8_conv_bytes(sizes, conv_.from_nchw, weights, conv_.desc.weight_flip,
                                     conv_.algorithm),
        {static_cast<std::int64_t>(conv_.algorithm.isa), conv_.algorithm.is_winograd ? 1 : 0,
         conv_.from_nchw ? 1 : 0, conv_.desc.weight_flip},
        [&](std::byte* packed) {
          pack_nchwc_int8_conv(sizes, conv_.from_nchw, weights, conv_.desc.weight_flip,
                               conv_.algorithm, packed);
        });
  }

  void set_params(const NodeView& view) {
    const Shape& shape = view.constant(weights_input)->shape();
    const std::int64_t channels = shape[0];
    const std::int64_t depth = shape.product(1, shape.rank());
    const auto stored = static_cast<std::size_t>((channels + 31) / 32 * 32);
    conv_.offsets.resize(stored);
    conv_.scales.resize(stored);
    conv_.weight_scales.resize(stored);
    Int8ConvParams& params = conv_.params;
    params.image_zero =
        flipped_zero(view.input_type(image_input), constant_bytes(view, image_zero_input), 0,
                     conv_.desc.image_flip);
    conv_.floats.image_scale = float_at(view, image_scale_input, 0);
    conv_.floats.out_scale = float_at(view, out_scale_input, 0);
    const auto* biases =
        view.node().input(bias_input) == nullptr
            ? nullptr
            : reinterpret_cast<const std::int32_t*>(constant_bytes(view, bias_input));
    for (std::int64_t i = 0; i < channels; ++i) {
      const auto index = static_cast<std::size_t>(i);
      const auto sum = static_cast<std::uint32_t>(sum_signed_bytes(
          constant_bytes(view, weights_input) + i * depth, depth, 1, conv_.desc.weight_flip));
      const auto bias = static_cast<std::uint32_t>(biases != nullptr ? biases[i] : 0);
      conv_.offsets[index] =
          static_cast<std::int32_t>(bias - static_cast<std::uint32_t>(params.image_zero) * sum);
      conv_.weight_scales[index] = float_at(view, weight_scale_input, i);
      conv_.scales[index] =
          conv_.floats.image_scale * conv_.weight_scales[index] / conv_.floats.out_scale;
    }
    params.epilogue.output = EpilogueOutput::int8;
    params.epilogue.offsets = conv_.offsets.data();
    params.epilogue.scales = conv_.scales.data();
    conv_.floats.weight_scales = conv_.weight_scales.data();
    if (conv_.op.has_floats) {
      Int8ConvFloats floats = conv_.floats;
      floats.weights = constant_bytes(view, weights_input);
      if (conv_.has_float_bias)
        floats.biases = reinterpret_cast<const float*>(constant_bytes(view, float_bias_input));
      conv_.op.has_floats = !has_exact_sums(channels, depth, floats, conv_.desc.weight_flip,
                                            params.image_zero, biases);
      conv_.has_float_bias = conv_.has_float_bias && conv_.op.has_floats;
    }
    const DataType type = view.input_type(out_zero_input);
    params.epilogue.range = int8_range(
        epilogue_of(view).bounds, flipped_zero(type, constant_bytes(view, out_zero_input), 0, 0));
  }

  std::string_view name_;
  CompiledNchwcInt8Conv conv_;
};

KernelPtr compile_nchwc_int8_conv(const NodeView& view, const KernelRow& row,
                                  const CompileContext& context) {
  return std::make_unique<const NchwcInt8ConvKernel>(view, row, context);
}

// clang-format off
constexpr std::array<KernelRow, 6> quantized_conv_blocked_rows = {{
    {"qlinear_conv_nchwc_amx", "", "QLinearConv", Isa::amx, "int8, uint8", accepts_nchwc_int8_conv, compile_nchwc_int8_conv, nullptr, int8_conv_layouts},
    {"quantized_conv_nchwc_amx", "ortool", "QuantizedConv", Isa::amx, "int8, uint8", accepts_nchwc_int8_conv, compile_nchwc_int8_conv, nullptr, int8_conv_layouts},
    {"qlinear_conv_nchwc_avx512", "", "QLinearConv", Isa::avx512, "int8, uint8", accepts_nchwc_int8_conv, compile_nchwc_int8_conv, nullptr, int8_conv_layouts},
    {"quantized_conv_nchwc_avx512", "ortool", "QuantizedConv", Isa::avx512, "int8, uint8", accepts_nchwc_int8_conv, compile_nchwc_int8_conv, nullptr, int8_conv_layouts},
    {"qlinear_conv_nchwc_avx2", "", "QLinearConv", Isa::avx2, "int8, uint8", accepts_nchwc_int8_conv, compile_nchwc_int8_conv, nullptr, int8_conv_layouts},
    {"quantized_conv_nchwc_avx2", "ortool", "QuantizedConv", Isa::avx2, "int8, uint8", accepts_nchwc_int8_conv, compile_nchwc_int8_conv, nullptr, int8_conv_layouts},
}};
// clang-format on

}  // namespace

std::span<const KernelRow> conv_int8_nchwc_kernels() {
  return quantized_conv_blocked_rows;
}

}  // namespace ortool::cpu
