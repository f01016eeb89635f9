// Kernels for LayerNormalization and RMSNormalization.
#include "libcore/ops/nn/normalization/layer_normalization.hpp"

#include <algorithm>
#include <array>

#include "kernels/cpu/elementwise/binary.hpp"
#include "kernels/cpu/normalization/normalize.hpp"
#include "kernels/cpu/normalization/normalize_f64.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/cast_operand.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"

namespace ortool::cpu {
namespace {

/// How scale or bias is broadcast to the normalized tensor of rows × size.
enum class Spread {
  none,      ///< omitted
  row,       ///< one value per element of a row
  repeated,  ///< fewer values: broadcast over a row first
  beyond,    ///< varies between rows: multiplied or added afterward
};

Spread spread_of(const Operand& operand, const Shape& x, std::int64_t axis) {
  if (!operand.is_given()) return Spread::none;
  const Shape& shape = operand.shape;
  const std::int64_t inside = x.rank() - axis;
  for (std::int64_t i = 0; i < shape.rank() - inside; ++i) {
    if (shape[i] != 1) return Spread::beyond;
  }
  return shape.element_count() == x.product(axis, x.rank()) ? Spread::row : Spread::repeated;
}

using Normalize = void (*)(const cpu::LayerNormalization&, Workers&, Isa);

class NormalizationPrepared : public Prepared {
 public:
  NormalizationPrepared(Normalize normalize, std::int64_t axis, float epsilon, Isa isa,
                        const PrepareContext& context)
      : normalize_(normalize), epsilon_(epsilon), isa_(isa) {
    const Shape& x = context.inputs[0].shape;
    axis = normalize_axis(axis, x.rank());
    rows_ = x.product(0, axis);
    size_ = x.product(axis, x.rank());
    const Operand none;
    const Operand* operands[] = {&context.inputs[1],
                                 context.has_input(2) ? &context.inputs[2] : &none};
    for (std::size_t i = 0; i < 2; ++i) {
      Factor& factor = factors_[i];
      factor.spread = spread_of(*operands[i], x, axis);
      const bool needs_row =
          factor.spread == Spread::repeated || (i == 0 && factor.spread == Spread::beyond);
      if (needs_row) factor.space = layout_.add(bytes_of(DataType::float32, size_));
      const auto dimensions = operands[i]->shape.dimensions();
      if (factor.spread == Spread::beyond) {
        factor.plan = make_broadcast_plan(x.dimensions(), dimensions);
      } else if (factor.spread == Spread::repeated) {
        const auto row = x.dimensions().subspan(static_cast<std::size_t>(axis));
        const auto skipped = std::max<std::int64_t>(
            0, operands[i]->shape.rank() - static_cast<std::int64_t>(row.size()));
        factor.plan =
            make_broadcast_plan(row, dimensions.subspan(static_cast<std::size_t>(skipped)));
      }
    }
    // If the scale is applied afterward, so must be the bias.
    if (factors_[0].spread == Spread::beyond && factors_[1].spread != Spread::none) {
      factors_[1].spread = Spread::beyond;
      factors_[1].plan = make_broadcast_plan(x.dimensions(), operands[1]->shape.dimensions());
    }
  }

  std::int64_t workspace_bytes() const override { return layout_.bytes(); }
  bool can_overwrite(std::size_t index) const override { return index == 0; }

  void run(const RunContext& context) const override {
    cpu::LayerNormalization layer;
    layer.in = context.input<float>(0);
    layer.out = context.output<float>(0);
    layer.mean = context.output<float>(1);
    layer.inverse_deviation = context.output<float>(2);
    layer.rows = rows_;
    layer.size = size_;
    layer.epsilon = epsilon_;
    layer.scale = row_of(context, 0);
    layer.bias = row_of(context, 1);
    normalize_(layer, context.workers(), isa_);
    for (std::size_t i = 0; i < 2; ++i) {
      if (factors_[i].spread != Spread::beyond) continue;
      binary(i == 0 ? BinaryOp::multiply : BinaryOp::add, DataType::float32, layer.out,
             context.input<float>(i + 1), layer.out, factors_[i].plan, context.workers(), isa_);
    }
  }

 private:
  struct Factor {
    Spread spread = Spread::none;
    std::int64_t space = 0;
    BroadcastPlan plan;
  };

  const float* row_of(const RunContext& context, std::size_t index) const {
    const Factor& factor = factors_[index];
    const auto* given = context.input<float>(index + 1);
    auto* space = reinterpret_cast<float*>(context.workspace() + factor.space);
    if (factor.spread == Spread::row) return given;
    if (factor.spread == Spread::repeated) {
      walk_rows(factor.plan, 0, factor.plan.count,
                [&](const std::int64_t* starts, std::int64_t begin, std::int64_t length) {
                  const std::int64_t step = factor.plan.loops.back().strides[1];
                  for (std::int64_t i = 0; i < length; ++i)
                    space[begin + i] = given[starts[1] + i * step];
                });
      return space;
    }
    if (index == 1) return nullptr;
    std::fill_n(space, size_, 1.0F);
    return space;
  }

  Normalize normalize_;
  float epsilon_;
  Isa isa_;
  std::int64_t rows_ = 0;
  std::int64_t size_ = 0;
  WorkspaceLayout layout_;
  Factor factors_[2];
};

template <typename Op, Normalize normalize>
KernelPtr compile_normalization(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<Op>(view.node());
  return make_kernel(row.name, [op, isa = row.isa](const PrepareContext& context) -> PreparedPtr {
    return std::make_unique<const NormalizationPrepared>(normalize, op.axis, op.epsilon, isa,
                                                         context);
  });
}

constexpr auto compile_layer =
    compile_normalization<ortool::LayerNormalization, layer_normalization>;
constexpr auto compile_rms = compile_normalization<RMSNormalization, rms_normalization>;

/// Statistics of types other than float32 and 16-bit floats would need kernels of their own.
bool accepts_outputs(const NodeView& view) {
  for (std::int64_t i = 0; i < view.node().output_count(); ++i) {
    if (view.node().output(i) != nullptr && view.output_type(i) == DataType::float64) return false;
  }
  return true;
}

bool accepts_float_layer(const NodeView& view) {
  if (!accepts_all_float32(view)) return false;
  for (std::int64_t i = 1; i < view.node().output_count(); ++i) {
    if (view.node().output(i) != nullptr && view.output_type(i) != DataType::float32) return false;
  }
  return true;
}

bool accepts_fp16_layer(const NodeView& view) {
  return accepts_all_float_like(view) && accepts_outputs(view);
}

template <KernelPtr (*compile)(const NodeView&, const KernelRow&, const CompileContext&)>
KernelPtr compile_fp16_layer(const NodeView& view, const KernelRow& row,
                             const CompileContext& context) {
  return make_fp16_kernel(compile(view, row, context), row.isa);
}

/// Scale or bias of any shape, in float64.
struct DoubleFactor {
  CastOperand<double> operand;
  BroadcastPlan plan;

  DoubleFactor(const PrepareContext& context, std::size_t input, WorkspaceLayout& layout) {
    if (!context.has_input(input)) return;
    operand = CastOperand<double>(input, context.inputs[input], layout);
    plan = make_broadcast_plan(context.inputs[0].shape.dimensions(),
                               context.inputs[input].shape.dimensions());
  }

  void apply(BinaryOp op, const RunContext& run, double* values) const {
    if (!operand.is_given()) return;
    binary(op, DataType::float64, values, operand.read(run), values, plan, run.workers(),
           Isa::baseline);
  }
};

PreparedPtr prepare_double(std::int64_t first_axis, float epsilon, bool is_centered,
                           const PrepareContext& context) {
  const Shape& shape = context.inputs[0].shape;
  const std::int64_t axis = normalize_axis(first_axis, shape.rank());
  const DoubleRows rows = {shape.product(0, axis), shape.product(axis, shape.rank()),
                           static_cast<double>(epsilon), is_centered};
  const auto wanted_output = [&](std::size_t index, auto number, WorkspaceLayout& layout) {
    using T = decltype(number);
    return context.has_output(index) ? CastOperand<T>(index, context.outputs[index], layout)
                                     : CastOperand<T>();
  };
  WorkspaceLayout layout;
  const CastOperand<double> x(0, context.inputs[0], layout);
  const CastOperand<double> y(0, context.outputs[0], layout);
  const CastOperand<float> mean = wanted_output(1, float{}, layout);
  const CastOperand<float> factor = wanted_output(2, float{}, layout);
  const DoubleFactor scale(context, 1, layout);
  const DoubleFactor bias(context, 2, layout);
  return make_prepared({.workspace_bytes = layout.bytes()}, [=](const RunContext& run) {
    double* out = y.begin(run);
    normalize_rows(x.read(run), out, rows, mean.begin(run), factor.begin(run), run.workers());
    scale.apply(BinaryOp::multiply, run, out);
    bias.apply(BinaryOp::add, run, out);
    y.write(run);
    mean.write(run);
    factor.write(run);
  });
}

template <typename Op, bool is_centered>
KernelPtr compile_double_layer(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<Op>(view.node());
  return make_kernel(row.name, [op](const PrepareContext& context) {
    return prepare_double(op.axis, op.epsilon, is_centered, context);
  });
}

// clang-format off
constexpr std::array<KernelRow, 14> layer_normalization_rows = {{
    {"layer_normalization_avx512", "", "LayerNormalization", Isa::avx512, "float32", accepts_float_layer, compile_layer},
    {"layer_normalization_avx2", "", "LayerNormalization", Isa::avx2, "float32", accepts_float_layer, compile_layer},
    {"layer_normalization_baseline", "", "LayerNormalization", Isa::baseline, "float32", accepts_float_layer, compile_layer},
    {"layer_normalization_half_avx512", "", "LayerNormalization", Isa::avx512, fp16_type_names, accepts_fp16_layer, compile_fp16_layer<compile_layer>},
    {"layer_normalization_half_avx2", "", "LayerNormalization", Isa::avx2, fp16_type_names, accepts_fp16_layer, compile_fp16_layer<compile_layer>},
    {"layer_normalization_half_baseline", "", "LayerNormalization", Isa::baseline, fp16_type_names, accepts_fp16_layer, compile_fp16_layer<compile_layer>},
    {"rms_normalization_avx512", "", "RMSNormalization", Isa::avx512, "float32", accepts_float_layer, compile_rms},
    {"rms_normalization_avx2", "", "RMSNormalization", Isa::avx2, "float32", accepts_float_layer, compile_rms},
    {"rms_normalization_baseline", "", "RMSNormalization", Isa::baseline, "float32", accepts_float_layer, compile_rms},
    {"rms_normalization_half_avx512", "", "RMSNormalization", Isa::avx512, fp16_type_names, accepts_fp16_layer, compile_fp16_layer<compile_rms>},
    {"rms_normalization_half_avx2", "", "RMSNormalization", Isa::avx2, fp16_type_names, accepts_fp16_layer, compile_fp16_layer<compile_rms>},
    {"rms_normalization_half_baseline", "", "RMSNormalization", Isa::baseline, fp16_type_names, accepts_fp16_layer, compile_fp16_layer<compile_rms>},
    {"layer_normalization_f64", "", "LayerNormalization", Isa::baseline, float_type_names, accepts_floats, compile_double_layer<ortool::LayerNormalization, true>},
    {"rms_normalization_f64", "", "RMSNormalization", Isa::baseline, float_type_names, accepts_floats, compile_double_layer<RMSNormalization, false>},
}};
// clang-format on

}  // namespace

std::span<const KernelRow> layer_normalization_kernels() {
  return layer_normalization_rows;
}

}  // namespace ortool::cpu
