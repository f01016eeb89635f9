// Kernels for Conv in NCHW, which may fuse batch normalization, residual and activation.
#include <algorithm>
#include <array>
#include <vector>

#include "kernels/cpu/conv/conv_f64.hpp"
#include "kernels/cpu/conv/f32_nchw/conv.hpp"
#include "kernels/cpu/elementwise/binary.hpp"
#include "kernels/cpu/elementwise/unary.hpp"
#include "kernels/cpu/elementwise/unfused_epilogue.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/provider/fold_epilogue.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/conv/conv_params.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/float_constant.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/fused_epilogue.hpp"

namespace ortool::cpu {
namespace {

/// Whether the value is dequantized: there, Winograd's rounding error would be visible.
bool is_rounded(const Value* value) {
  const Node* producer = value->producer();
  while (producer != nullptr && producer->op_type() == "Identity")
    producer = producer->input(0)->producer();
  return producer != nullptr && producer->op_type() == "DequantizeLinear";
}

/// Decided at compile time, once per node.
struct CompiledConv {
  ortool::Conv op;
  ProductEpilogue epilogue;
  ConvPath path = ConvPath::columns;  ///< algorithm of the packed weights
  bool can_transform = true;          ///< whether Winograd may be used
  Isa isa = Isa::baseline;
  int max_threads = 1;
  PackedBytes weights;  ///< packed; empty if they come at run time
  /// Unpacked weights, kept if image sizes known only at run time may require the other algorithm.
  std::optional<Tensor> plain_weights;
  AlignedBuffer bias;  ///< with the epilogue's shift; empty when there is none or it comes later
  bool has_weights = false;
  bool has_bias = false;
  bool reads_bias = false;  ///< at run time

  /// Depends on the sizes only, not on constants: all algorithms but Winograd are bit-identical.
  ConvPath choose_path(const ConvSizes& sizes) const {
    const ConvPath best = choose_conv_path(sizes);
    return best == ConvPath::winograd && !can_transform ? ConvPath::columns : best;
  }
};

bool have_same_bits(ConvPath a, ConvPath b) {
  return (a == ConvPath::winograd) == (b == ConvPath::winograd);
}

class ConvPrepared : public Prepared {
 public:
  ConvPrepared(const CompiledConv& conv, const PrepareContext& context)
      : conv_(conv), sizes_(conv_sizes(context.inputs[0].shape, context.inputs[1].shape, conv.op)) {
    path_ = conv.choose_path(sizes_);
    if (conv.has_weights) choose_weights(context);
    kernel_space_ = layout_.add(conv_workspace_bytes(sizes_, path_, conv.isa, conv.max_threads));
    if (!conv.has_weights)
      weight_space_ = layout_.add(packed_conv_weight_bytes(sizes_, path_, conv.isa));
    if (conv.epilogue.residual < 0) return;
    const Shape shape = own_shape(context.inputs[0].shape, context.inputs[1].shape);
    const Shape& residual = context.inputs[static_cast<std::size_t>(conv.epilogue.residual)].shape;
    if (shape == residual) return;
    unfused_.emplace(shape, residual, conv.epilogue.activation, conv.epilogue.low,
                     conv.epilogue.high, conv.isa);
    result_space_ = layout_.add(bytes_of(DataType::float32, shape.element_count()));
  }

  std::int64_t workspace_bytes() const override { return layout_.bytes(); }
  std::int64_t held_bytes() const override { return own_weights_.size_bytes(); }

  void run(const RunContext& context) const override {
    SizedWorkers workers(context.workers(), conv_.max_threads);
    const auto* weights =
        own_weights_.size_bytes() > 0 ? own_weights_.as<float>() : conv_.weights.as<float>();
    if (!conv_.has_weights) {
      auto* packed = place<float>(context, weight_space_);
      pack_conv_weights(sizes_, path_, context.input<float>(1), conv_.isa, packed, workers.get());
      weights = packed;
    }
    Epilogue epilogue;
    if (conv_.has_bias || conv_.reads_bias) {
      epilogue.addend = Addend::per_row;
      epilogue.added = conv_.reads_bias ? context.input<float>(2) : conv_.bias.as<float>();
    }
    float* result = context.output<float>(0);
    if (unfused_) {
      result = place<float>(context, result_space_);
    } else {
      set_residual_and_activation(epilogue, conv_.epilogue, context);
    }
    conv(sizes_, path_, context.input<float>(0), weights, result, epilogue, conv_.isa,
         place<std::byte>(context, kernel_space_), workers.get());
    if (unfused_)
      unfused_->run(result, residual_of(conv_.epilogue, context), context.output<float>(0),
                    context.workers());
  }

 private:
  Shape own_shape(const Shape& x, const Shape& weights) const {
    std::vector<std::int64_t> shape = {x[0], weights[0]};
    for (const WindowAxis& axis : conv_.op.place(x, weights)) shape.push_back(axis.out);
    return Shape(std::move(shape));
  }
  /// Uses the packed weights, or repacks them if these sizes require the other algorithm.
  void choose_weights(const PrepareContext& context) {
    if (have_same_bits(path_, conv_.path) || !conv_.plain_weights) {
      path_ = conv_.path;
      return;
    }
    own_weights_ = AlignedBuffer(packed_conv_weight_bytes(sizes_, path_, conv_.isa), context.cap,
                                 "packed weights");
    Workers alone(context.stop);
    pack_conv_weights(sizes_, path_, conv_.plain_weights->data<float>().data(), conv_.isa,
                      own_weights_.as<float>(), alone);
  }
  template <typename T>
  static T* place(const RunContext& context, std::int64_t offset) {
    return reinterpret_cast<T*>(context.workspace() + offset);
  }

  const CompiledConv& conv_;
  ConvSizes sizes_;
  ConvPath path_ = ConvPath::columns;
  WorkspaceLayout layout_;
  std::int64_t kernel_space_ = 0;
  std::int64_t weight_space_ = 0;
  std::int64_t result_space_ = 0;
  AlignedBuffer own_weights_;               ///< empty: those of the compiled kernel, or of the run
  std::optional<UnfusedResidual> unfused_;  ///< set if the residual must be broadcast
};

class ConvKernel : public Kernel {
 public:
  ConvKernel(const NodeView& view, const KernelRow& row, const CompileContext& context)
      : name_(row.name) {
    conv_.op = read_op<ortool::Conv>(view.node());
    conv_.isa = row.isa;
    conv_.max_threads = context.max_threads;
    conv_.can_transform = !is_rounded(view.node().input(0));
    conv_.epilogue = epilogue_of(view);
    make_bias(view, context);
    make_weights(view, context);
  }

  std::string_view name() const override { return name_; }
  PreparedPtr prepare(const PrepareContext& context) const override {
    return std::make_unique<const ConvPrepared>(conv_, context);
  }
  bool needs_input(std::size_t index) const override {
    if (index == 1) return !conv_.has_weights;
    if (index == 2 && conv_.reads_bias) return true;
    return index == 0 || static_cast<std::int64_t>(index) == conv_.epilogue.residual;
  }
  std::int64_t packed_bytes() const override {
    return conv_.weights.size_bytes() + conv_.bias.size_bytes();
  }

 private:
  void make_bias(const NodeView& view, const CompileContext& context) {
    const bool is_given = view.node().input(2) != nullptr;
    conv_.reads_bias = is_given && !float_constant(view.constant(2));
    const std::vector<float> bias = folded_bias(view.constant(2), conv_.epilogue);
    if (bias.empty()) return;
    const auto channels = static_cast<std::int64_t>(bias.size());
    conv_.bias =
        AlignedBuffer(bytes_of(DataType::float32, channels), context.cap, "a convolution's bias");
    std::copy(bias.begin(), bias.end(), conv_.bias.as<float>());
    conv_.has_bias = true;
  }

  void make_weights(const NodeView& view, const CompileContext& context) {
    const Tensor* given = view.constant(1);
    if (given == nullptr || !is_float_like(given->type())) return;
    const auto folded = [&] {
      return folded_weights(float_tensor(*given, context.cap), conv_.epilogue, context.cap);
    };
    const ConvSizes sizes = likely_conv_sizes(view, given->shape(), conv_.op);
    conv_.path = conv_.choose_path(sizes);
    if (conv_.can_transform && may_become_winograd(sizes)) conv_.plain_weights = folded();
    conv_.weights =
        context.pack(packed_conv_weight_bytes(sizes, conv_.path, conv_.isa),
                     {static_cast<std::int64_t>(conv_.isa), static_cast<std::int64_t>(conv_.path)},
                     [&](std::byte* packed) {
                       const Tensor weights = conv_.plain_weights ? *conv_.plain_weights : folded();
                       pack_conv_weights(sizes, conv_.path, weights.data<float>().data(), conv_.isa,
                                         reinterpret_cast<float*>(packed), context.workers);
                     });
    conv_.has_weights = true;
  }

  std::string_view name_;
  CompiledConv conv_;
};

bool accepts_conv(const NodeView& view) {
  return accepts_float32(view) && has_conv_rank(view);
}

bool accepts_fp16_conv(const NodeView& view) {
  return accepts_fp16(view) && has_conv_rank(view);
}

KernelPtr compile_conv(const NodeView& view, const KernelRow& row, const CompileContext& context) {
  return std::make_unique<const ConvKernel>(view, row, context);
}

KernelPtr compile_fp16_conv(const NodeView& view, const KernelRow& row,
                            const CompileContext& context) {
  return make_fp16_kernel(compile_conv(view, row, context), row.isa);
}

KernelPtr compile_double_conv(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_kernel(
      row.name, [op = read_op<ortool::Conv>(view.node())](const PrepareContext& context) {
        const ConvSizes sizes = conv_sizes(context.inputs[0].shape, context.inputs[1].shape, op);
        return make_prepared({}, [=](const RunContext& run) {
          conv_f64(sizes, run.input<double>(0), run.input<double>(1), run.input<double>(2),
                   run.output<double>(0), run.workers());
        });
      });
}

bool accepts_double_conv(const NodeView& view) {
  return accepts_float64(view) && has_conv_rank(view);
}

// clang-format off
constexpr std::array<KernelRow, 7> float_conv_rows = {{
    {"conv_f32_avx512", "", "Conv", Isa::avx512, "float32", accepts_conv, compile_conv, absorbs_epilogue},
    {"conv_f32_avx2", "", "Conv", Isa::avx2, "float32", accepts_conv, compile_conv, absorbs_epilogue},
    {"conv_f32_baseline", "", "Conv", Isa::baseline, "float32", accepts_conv, compile_conv, absorbs_epilogue},
    {"conv_half_avx512", "", "Conv", Isa::avx512, fp16_type_names, accepts_fp16_conv, compile_fp16_conv, absorbs_epilogue},
    {"conv_half_avx2", "", "Conv", Isa::avx2, fp16_type_names, accepts_fp16_conv, compile_fp16_conv, absorbs_epilogue},
    {"conv_half_baseline", "", "Conv", Isa::baseline, fp16_type_names, accepts_fp16_conv, compile_fp16_conv, absorbs_epilogue},
    {"conv_float64", "", "Conv", Isa::baseline, "float64", accepts_double_conv, compile_double_conv},
}};
// clang-format on

}  // namespace

std::span<const KernelRow> conv_nchw_kernels() {
  return float_conv_rows;
}

}  // namespace ortool::cpu
