// Kernels for Conv in NCHWc, in float32 or with bfloat16 operands, with the same epilogues as in
// NCHW.
#include <algorithm>
#include <array>

#include "kernels/cpu/conv/bf16_nchwc/conv.hpp"
#include "kernels/cpu/conv/f32_nchw/algorithms.hpp"
#include "kernels/cpu/conv/f32_nchwc/conv.hpp"
#include "kernels/cpu/elementwise/unfused_epilogue.hpp"
#include "kernels/cpu/isa/built_features.hpp"
#include "libcore/base/precision.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/bf16_kernels.hpp"
#include "providers/cpu/conv/compiled_nchwc_conv.hpp"
#include "providers/cpu/conv/conv_cost.hpp"
#include "providers/cpu/conv/conv_params.hpp"
#include "providers/cpu/conv/depthwise_post_op.hpp"
#include "providers/cpu/conv/post_op_parts.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/float_constant.hpp"
#include "providers/cpu/support/fused_epilogue.hpp"
#include "providers/cpu/support/nchwc_shape.hpp"

namespace ortool::cpu {
namespace {

/// Whether the epilogue maps zero to zero, as padding channels require.
bool keeps_zero(const ProductEpilogue& epilogue) {
  return epilogue.activation != Activation::clip || (epilogue.low <= 0.0F && epilogue.high >= 0.0F);
}

class NchwcConvPrepared : public Prepared {
 public:
  NchwcConvPrepared(const CompiledNchwcConv& conv, const PrepareContext& context)
      : conv_(conv),
        sizes_(conv_sizes(context.inputs[0].shape, context.inputs[1].shape, conv.op)),
        writes_bfloat16_(context.outputs[0].layout == Layout::blocked16_bfloat16) {
    for (std::size_t i = 0; i < context.inputs.size(); ++i) {
      if (context.inputs[i].layout == Layout::blocked16_bfloat16) bfloat16_inputs_ |= 1U << i;
    }
    if (has_16_bit_floats && conv.operands == Precision::bfloat16)
      bf16_plan_.emplace(sizes_, conv.path == NchwcConvAlgorithm::from_nchw, reads_bfloat16(0),
                         conv.isa);
    kernel_space_ = layout_.add(
        bf16_plan_ ? bf16_plan_->workspace_bytes()
                   : nchwc_conv_workspace_bytes(sizes_, conv.path, conv.isa, conv.max_threads));
    if (conv.epilogue.residual < 0) return;
    const Shape shape = own_shape(context.inputs[0].shape, context.inputs[1].shape);
    const Shape& residual = context.inputs[static_cast<std::size_t>(conv.epilogue.residual)].shape;
    if (shape == residual) return;
    const Layout layout = blocked_layout(conv.isa);
    const Shape stored = stored_shape(shape, layout);
    unfused_.emplace(stored, stored_shape(residual, layout), conv.epilogue.activation,
                     conv.epilogue.low, conv.epilogue.high, conv.isa);
    result_space_ = layout_.add(bytes_of(DataType::float32, stored.element_count()));
  }

  std::int64_t workspace_bytes() const override { return layout_.bytes(); }
  std::int64_t held_bytes() const override { return bf16_plan_ ? bf16_plan_->held_bytes() : 0; }

  void run(const RunContext& context) const override {
    SizedWorkers workers(context.workers(), conv_.max_threads);
    Epilogue epilogue;
    if (conv_.bias.size_bytes() > 0) {
      epilogue.addend = Addend::per_row;
      epilogue.added = conv_.bias.as<float>();
    }
    float* result = context.output<float>(0);
    if (unfused_) {
      result = reinterpret_cast<float*>(context.workspace() + result_space_);
    } else {
      set_residual_and_activation(epilogue, conv_.epilogue, context);
    }
    std::byte* space = context.workspace() + kernel_space_;
    const InputImage x = image_in(context, 0);
    const OutputImage y = writes_bfloat16_
                              ? OutputImage{.bfloat16 = context.output<std::uint16_t>(0)}
                              : OutputImage{.floats = result};
    if (has_16_bit_floats && bf16_plan_) {
      const auto residual = static_cast<std::size_t>(conv_.epilogue.residual);
      const bool has_residual = conv_.epilogue.residual >= 0 && !unfused_;
      bf16_plan_->run(x, conv_.weights.as<std::uint16_t>(),
                      has_residual ? image_in(context, residual) : InputImage{}, y, epilogue,
                      conv_.isa, space, workers.get());
    } else {
      conv_nchwc(sizes_, conv_.path, x, conv_.weights.as<float>(), y, epilogue, conv_.isa, space,
                 workers.get());
    }
    if (unfused_)
      unfused_->run(result, residual_of(conv_.epilogue, context), context.output<float>(0),
                    context.workers());
  }

 private:
  bool reads_bfloat16(std::size_t index) const { return (bfloat16_inputs_ >> index & 1U) != 0; }
  InputImage image_in(const RunContext& context, std::size_t index) const {
    if (reads_bfloat16(index)) return {.bfloat16 = context.input<std::uint16_t>(index)};
    return {.floats = context.input<float>(index)};
  }
  Shape own_shape(const Shape& x, const Shape& weights) const {
    std::vector<std::int64_t> shape = {x[0], weights[0]};
    for (const WindowAxis& axis : conv_.op.place(x, weights)) shape.push_back(axis.out);
    return Shape(shape);
  }

  const CompiledNchwcConv& conv_;
  ConvSizes sizes_;
  std::optional<Bf16ConvPlan> bf16_plan_;  ///< set for bfloat16 operands
  WorkspaceLayout layout_;
  std::int64_t kernel_space_ = 0;
  std::int64_t result_space_ = 0;
  std::optional<UnfusedResidual> unfused_;  ///< set if the residual must be broadcast
  bool writes_bfloat16_;
  std::uint32_t bfloat16_inputs_ = 0;  ///< a bit each
};

class NchwcConvKernel : public Kernel {
 public:
  NchwcConvKernel(const NodeView& view, const KernelRow& row, const CompileContext& context,
                  Precision operands)
      : name_(row.name), conv_(compile_nchwc_conv(view, row.isa, operands, context)) {}

  std::string_view name() const override { return name_; }
  PreparedPtr prepare(const PrepareContext& context) const override {
    return std::make_unique<const NchwcConvPrepared>(conv_, context);
  }
  bool needs_input(std::size_t index) const override {
    return index == 0 || static_cast<std::int64_t>(index) == conv_.epilogue.residual;
  }
  std::int64_t packed_bytes() const override { return conv_.packed_bytes(); }

 private:
  std::string_view name_;
  CompiledNchwcConv conv_;
};

bool accepts_nchwc_conv(const NodeView& view) {
  return accepts_float32(view) && has_conv_rank(view) && view.constant(1) != nullptr;
}

/// Whether images in bfloat16 may be convolved in float32, whatever sizes a run has.
bool can_convolve_bfloat16(const ConvSizes& sizes, const ortool::Conv& op, Activation activation,
                           Isa isa) {
  const WindowAttributes& window = op.window;
  const bool has_narrow_pads =
      window.auto_pad != AutoPad::not_set ||
      std::all_of(window.pads.begin(), window.pads.end(), [](auto pad) { return pad <= 1; });
  return has_narrow_pads && can_convolve_bfloat16(sizes, activation, isa);
}

std::vector<LayoutChoice> conv_layouts(const NodeView& view, const KernelRow& row) {
  const Tensor* weights = view.constant(1);
  const bool has_known_bias = view.node().input(2) == nullptr || view.constant(2) != nullptr;
  if (weights == nullptr || !is_float_like(weights->type()) || !has_known_bias) return {};
  const auto op = read_op<ortool::Conv>(view.node());
  const std::optional<ConvSizes> sizes = common_conv_sizes(view, weights->shape(), op);
  if (!sizes) return {};
  const ProductEpilogue epilogue = epilogue_of(view);
  const Layout blocked = blocked_layout(row.isa);
  const std::int64_t block = block_of(blocked);
  if (sizes->channels_out % block != 0 && !keeps_zero(epilogue)) return {};
  std::vector<LayoutChoice> choices(1);
  choices[0].nanoseconds = nchw_conv_nanoseconds(*sizes);
  const auto add = [&](NchwcConvAlgorithm path) {
    if (!can_block_conv(*sizes, path)) return;
    LayoutChoice& choice = choices.emplace_back();
    choice.inputs.resize(view.inputs().size(), Layout::plain);
    if (path != NchwcConvAlgorithm::from_nchw) choice.inputs[0] = blocked;
    if (epilogue.residual >= 0)
      choice.inputs[static_cast<std::size_t>(epilogue.residual)] = blocked;
    choice.outputs = {blocked};
    choice.nanoseconds = nchwc_conv_nanoseconds(*sizes, path, block);
    if (path == NchwcConvAlgorithm::direct && adds_in_place(view, epilogue) &&
        can_convolve_bfloat16(*sizes, op, epilogue.activation, row.isa)) {
      choice.bfloat16_inputs = 1U;
      choice.may_write_bfloat16 = true;
    }
  };
  // The first of equal choices wins, and few channels would leave most of a block empty.
  constexpr std::int64_t few_channels = 4;
  if (sizes->channels_in <= few_channels && sizes->groups == 1) add(NchwcConvAlgorithm::from_nchw);
  add(choose_nchwc_algorithm(*sizes));
  return choices;
}

KernelPtr compile_float_conv(const NodeView& view, const KernelRow& row,
                             const CompileContext& context) {
  if (is_post_op(view)) return compile_depthwise_post_op(view, row, context);
  return std::make_unique<const NchwcConvKernel>(view, row, context, Precision::float32);
}

/// Whether bfloat16 operands suit a convolution: dense, and deep enough to fill half a step.
std::optional<ConvSizes> bf16_conv_sizes(const NodeView& view) {
  constexpr std::int64_t least_channels = 16;
  if (!accepts_nchwc_conv(view)) return std::nullopt;
  const auto op = read_op<ortool::Conv>(view.node());
  std::optional<ConvSizes> sizes = common_conv_sizes(view, view.constant(1)->shape(), op);
  const bool is_deep = sizes && sizes->channels_in >= least_channels;
  if (sizes && !can_use_bf16_conv(*sizes, !is_deep)) sizes.reset();
  return sizes;
}

bool accepts_bf16_conv_amx(const NodeView& view) {
  return bf16_conv_sizes(view).has_value();
}

/// Twice the rate of float32 does not make up for Winograd's quarter of the multiplications, nor
/// for steps of 32 values that are half copied in vain for each tap of a window, nor for copying
/// the windows of a small first layer.
bool accepts_bf16_conv_avx512(const NodeView& view) {
  constexpr std::int64_t least_window = 64;
  const std::optional<ConvSizes> sizes = bf16_conv_sizes(view);
  if (!sizes || choose_nchwc_algorithm(*sizes) == NchwcConvAlgorithm::winograd) return false;
  const std::int64_t channels = sizes->channels_in;
  if (channels < bf16_step / 2) return channels * volume(sizes->kernel) >= least_window;
  return volume(sizes->kernel) == 1 || 5 * channels >= 3 * bf16_steps(channels) * bf16_step;
}

/// The float32 row's choices, at the speed of bfloat16.
std::vector<LayoutChoice> bf16_conv_layouts(const NodeView& view, const KernelRow& row) {
  std::vector<LayoutChoice> choices = conv_layouts(view, row);
  const std::optional<ConvSizes> sizes = bf16_conv_sizes(view);
  ORTOOL_CHECK(sizes.has_value());
  const ProductEpilogue epilogue = epilogue_of(view);
  for (LayoutChoice& choice : choices) {
    if (choice.outputs.empty()) continue;
    const bool from_nchw = choice.inputs[0] == Layout::plain;
    choice.nanoseconds = bf16_conv_nanoseconds(*sizes, from_nchw, row.isa);
    choice.rounded_inputs = from_nchw ? 0U : 1U;
    choice.bfloat16_inputs = choice.rounded_inputs;
    choice.may_write_bfloat16 = adds_in_place(view, epilogue);
    if (choice.may_write_bfloat16 && epilogue.residual >= 0)
      choice.bfloat16_inputs |= 1U << static_cast<std::uint32_t>(epilogue.residual);
  }
  return choices;
}

KernelPtr compile_bf16_conv(const NodeView& view, const KernelRow& row,
                            const CompileContext& context) {
  return std::make_unique<const NchwcConvKernel>(view, row, context, Precision::bfloat16);
}

// clang-format off
constexpr std::array<KernelRow, 2> blocked_conv_rows = {{
    {"conv_nchwc_avx512", "", "Conv", Isa::avx512, "float32", accepts_nchwc_conv, compile_float_conv, nullptr, conv_layouts, appends_depthwise},
    {"conv_nchwc_avx2", "", "Conv", Isa::avx2, "float32", accepts_nchwc_conv, compile_float_conv, nullptr, conv_layouts, appends_depthwise},
}};
constexpr std::array<KernelRow, 2> bf16_conv_rows = {{
    {"conv_bf16_nchwc_amx", "", "Conv", Isa::amx, "float32", accepts_bf16_conv_amx, compile_bf16_conv, nullptr, bf16_conv_layouts},
    {"conv_bf16_nchwc_avx512", "", "Conv", Isa::avx512, "float32", accepts_bf16_conv_avx512, compile_bf16_conv, nullptr, bf16_conv_layouts},
}};
// clang-format on

}  // namespace

std::span<const KernelRow> bf16_conv_kernels() {
  return bf16_conv_rows;
}

std::span<const KernelRow> conv_nchwc_kernels() {
  return blocked_conv_rows;
}

}  // namespace ortool::cpu
