// Kernels for QLinearConv and QuantizedConv in NCHW16c; all inputs but the image are constant.
#include <algorithm>
#include <array>
#include <optional>

#include "kernels/cpu/conv/int8_nchwc/conv.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/conv/compiled_nchwc_int8_conv.hpp"
#include "providers/cpu/conv/int8_depthwise_post_op.hpp"
#include "providers/cpu/conv/post_op_parts.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/quantization_params.hpp"

namespace ortool::cpu {
namespace {

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

class NchwcInt8ConvPrepared : public Prepared {
 public:
  NchwcInt8ConvPrepared(const CompiledNchwcInt8Conv& conv, const PrepareContext& context)
      : conv_(conv),
        sizes_(nchwc_int8_conv_sizes(context.inputs[image_input].shape,
                                     context.inputs[weights_input].shape, conv.op)) {
    space_ = layout_.add(nchwc_int8_conv_workspace_bytes(sizes_, conv.from_nchw, conv.algorithm,
                                                         conv.max_threads, conv.desc.image_flip));
  }

  std::int64_t workspace_bytes() const override { return layout_.bytes(); }
  bool can_overwrite(std::size_t index) const override {
    return index == image_input && can_overwrite_nchwc_int8_conv(
                                       sizes_, conv_.from_nchw, conv_.algorithm, conv_.max_threads);
  }

  void run(const RunContext& context) const override {
    SizedWorkers workers(context.workers(), conv_.max_threads);
    nchwc_int8_conv(sizes_, conv_.from_nchw, context.input<std::uint8_t>(image_input), conv_.desc,
                    conv_.weights.data(), conv_.params, context.output<std::uint8_t>(0),
                    conv_.algorithm, context.workspace() + space_, workers.get());
  }

 private:
  const CompiledNchwcInt8Conv& conv_;
  ConvSizes sizes_;
  WorkspaceLayout layout_;
  std::int64_t space_ = 0;
};

class NchwcInt8ConvKernel : public Kernel {
 public:
  NchwcInt8ConvKernel(const NodeView& view, const KernelRow& row, const CompileContext& context)
      : name_(row.name) {
    compile_nchwc_int8_conv(view, row.isa, context, conv_);
    if (row.isa == Isa::amx && conv_.algorithm.isa != Isa::amx)
      name_ = view.node().op_type() == "QuantizedConv" ? "quantized_conv_nchwc_avx512"
                                                       : "qlinear_conv_nchwc_avx512";
  }

  std::string_view name() const override { return name_; }
  PreparedPtr prepare(const PrepareContext& context) const override {
    return std::make_unique<const NchwcInt8ConvPrepared>(conv_, context);
  }
  bool needs_input(std::size_t index) const override { return index == image_input; }
  std::int64_t packed_bytes() const override { return conv_.weights.size_bytes(); }

 private:
  std::string_view name_;
  CompiledNchwcInt8Conv conv_;
};

KernelPtr compile_int8_conv(const NodeView& view, const KernelRow& row,
                            const CompileContext& context) {
  if (is_post_op(view)) return compile_int8_depthwise_post_op(view, row, context);
  return std::make_unique<const NchwcInt8ConvKernel>(view, row, context);
}

// clang-format off
constexpr std::array<KernelRow, 6> quantized_conv_blocked_rows = {{
    {"qlinear_conv_nchwc_amx", "", "QLinearConv", Isa::amx, "int8, uint8", accepts_nchwc_int8_conv, compile_int8_conv, nullptr, int8_conv_layouts, appends_int8_depthwise},
    {"quantized_conv_nchwc_amx", "ortool", "QuantizedConv", Isa::amx, "int8, uint8", accepts_nchwc_int8_conv, compile_int8_conv, nullptr, int8_conv_layouts, appends_int8_depthwise},
    {"qlinear_conv_nchwc_avx512", "", "QLinearConv", Isa::avx512, "int8, uint8", accepts_nchwc_int8_conv, compile_int8_conv, nullptr, int8_conv_layouts, appends_int8_depthwise},
    {"quantized_conv_nchwc_avx512", "ortool", "QuantizedConv", Isa::avx512, "int8, uint8", accepts_nchwc_int8_conv, compile_int8_conv, nullptr, int8_conv_layouts, appends_int8_depthwise},
    {"qlinear_conv_nchwc_avx2", "", "QLinearConv", Isa::avx2, "int8, uint8", accepts_nchwc_int8_conv, compile_int8_conv, nullptr, int8_conv_layouts, appends_int8_depthwise},
    {"quantized_conv_nchwc_avx2", "ortool", "QuantizedConv", Isa::avx2, "int8, uint8", accepts_nchwc_int8_conv, compile_int8_conv, nullptr, int8_conv_layouts, appends_int8_depthwise},
}};
// clang-format on

}  // namespace

std::span<const KernelRow> conv_int8_nchwc_kernels() {
  return quantized_conv_blocked_rows;
}

}  // namespace ortool::cpu
