// Kernels for Gemm: float32 with fused epilogue, plain loops for other types.
#include "libcore/ops/math/gemm.hpp"

#include <array>
#include <cmath>

#include "kernels/cpu/elementwise/unfused_epilogue.hpp"
#include "kernels/cpu/gemm/f32/gemm.hpp"
#include "kernels/cpu/gemm/reference_gemm.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/provider/fold_epilogue.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/bf16_kernels.hpp"
#include "providers/cpu/gemm/packed_weights.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/float_constant.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/fused_epilogue.hpp"
#include "providers/cpu/support/reference_types.hpp"

namespace ortool::cpu {
namespace {

GemmSizes gemm_sizes(const Gemm& op, const Shape& a, const Shape& b) {
  return {a[op.transpose_a ? 1 : 0], b[op.transpose_b ? 0 : 1], a[op.transpose_a ? 0 : 1]};
}

/// How C is broadcast to a result of m × n.
Addend addend_of(const Shape& c, const GemmSizes& sizes) {
  if (c.element_count() == 1) return Addend::scalar;
  const std::int64_t columns = c.rank() > 0 ? c[c.rank() - 1] : 1;
  const std::int64_t rows = c.rank() > 1 ? c[c.rank() - 2] : 1;
  if (columns == 1) return Addend::per_row;
  return rows == 1 && sizes.m != 1 ? Addend::per_column : Addend::full;
}

/// Decided at compile time, once per node.
struct CompiledGemm {
  Gemm op;
  ProductEpilogue epilogue;
  Isa isa = Isa::baseline;
  PackedWeights b;  ///< empty if it comes at run time
  bool reads_c = false;
  AlignedBuffer bias;
};

class GemmPrepared : public Prepared {
 public:
  GemmPrepared(const CompiledGemm& gemm, const PrepareContext& context)
      : gemm_(gemm), sizes_(gemm_sizes(gemm.op, context.inputs[0].shape, context.inputs[1].shape)) {
    a_stride_ = context.inputs[0].shape[1];
    b_stride_ = context.inputs[1].shape[1];
    if (gemm.reads_c) addend_ = addend_of(context.inputs[2].shape, sizes_);
    space_ = layout_.add(!gemm.b.is_empty() ? gemm.b.workspace_bytes(sizes_)
                                            : gemm_unpacked_workspace_bytes(sizes_, gemm.isa));
    if (gemm.epilogue.residual < 0) return;
    const Shape shape = {sizes_.m, sizes_.n};
    const Shape& residual = context.inputs[static_cast<std::size_t>(gemm.epilogue.residual)].shape;
    if (shape == residual) return;
    unfused_.emplace(shape, residual, gemm.epilogue.activation, gemm.epilogue.low,
                     gemm.epilogue.high, gemm.isa);
    result_space_ = layout_.add(bytes_of(DataType::float32, shape.element_count()));
  }

  std::int64_t workspace_bytes() const override { return layout_.bytes(); }

  void run(const RunContext& context) const override {
    const StridedMatrix a{context.input<float>(0), a_stride_, gemm_.op.transpose_a};
    const StridedMatrix b{context.input<float>(1), b_stride_, gemm_.op.transpose_b};
    float* out = context.output<float>(0);
    float* result = unfused_ ? reinterpret_cast<float*>(context.workspace() + result_space_) : out;
    std::byte* space = context.workspace() + space_;
    const Epilogue epilogue = make_epilogue(context);
    if (!gemm_.b.is_empty()) {
      gemm_.b.multiply(sizes_, a, result, epilogue, space, context, context.workers());
    } else {
      gemm_unpacked(sizes_, a, b, result, sizes_.n, epilogue, gemm_.isa, space, context.workers());
    }
    if (unfused_)
      unfused_->run(result, residual_of(gemm_.epilogue, context), out, context.workers());
  }

 private:
  Epilogue make_epilogue(const RunContext& context) const {
    Epilogue epilogue;
    epilogue.alpha = gemm_.op.alpha;
    if (gemm_.bias.size_bytes() > 0) {
      epilogue.addend = Addend::per_column;
      epilogue.added = gemm_.bias.as<float>();
    } else if (addend_ != Addend::none) {
      epilogue.addend = addend_;
      epilogue.beta = gemm_.op.beta;
      epilogue.added = context.input<float>(2);
      epilogue.added_stride = sizes_.n;
    }
    if (unfused_) return epilogue;
    set_residual_and_activation(epilogue, gemm_.epilogue, context);
    epilogue.residual_stride = sizes_.n;
    return epilogue;
  }

  const CompiledGemm& gemm_;
  GemmSizes sizes_;
  std::int64_t a_stride_ = 0;
  std::int64_t b_stride_ = 0;
  Addend addend_ = Addend::none;
  WorkspaceLayout layout_;
  std::int64_t space_ = 0;
  std::int64_t result_space_ = 0;
  std::optional<UnfusedResidual> unfused_;  ///< set if the residual must be broadcast
};

class GemmKernel : public Kernel {
 public:
  GemmKernel(const NodeView& view, const KernelRow& row, const CompileContext& context,
             Precision operands)
      : name_(row.name) {
    gemm_.op = read_op<Gemm>(view.node());
    gemm_.isa = row.isa;
    gemm_.epilogue = epilogue_before_split(view);
    gemm_.reads_c = view.node().input(2) != nullptr;
    gemm_.bias = shift_of(gemm_.epilogue, context.cap);
    pack(view, operands, context);
  }

  std::string_view name() const override { return name_; }
  PreparedPtr prepare(const PrepareContext& context) const override {
    return std::make_unique<const GemmPrepared>(gemm_, context);
  }
  bool needs_input(std::size_t index) const override {
    if (index == 1) return gemm_.b.is_empty();
    if (index == 2 && gemm_.reads_c) return true;
    return index == 0 || static_cast<std::int64_t>(index) == gemm_.epilogue.residual;
  }
  std::int64_t packed_bytes() const override {
    return gemm_.b.size_bytes() + gemm_.bias.size_bytes();
  }

 private:
  void pack(const NodeView& view, Precision operands, const CompileContext& context) {
    const Tensor* b = view.constant(1);
    if (b == nullptr || !is_float_like(b->type()) || b->shape().rank() != 2) return;
    const bool transposed = gemm_.op.transpose_b;
    const std::int64_t n = b->shape()[transposed ? 0 : 1];
    const std::int64_t k = b->shape()[transposed ? 1 : 0];
    gemm_.b.take(view, k, n, transposed, {gemm_.isa, operands}, context);
  }

  std::string_view name_;
  CompiledGemm gemm_;
};

KernelPtr compile_gemm(const NodeView& view, const KernelRow& row, const CompileContext& context) {
  return std::make_unique<const GemmKernel>(view, row, context, Precision::float32);
}

KernelPtr compile_bf16_gemm(const NodeView& view, const KernelRow& row,
                            const CompileContext& context) {
  return std::make_unique<const GemmKernel>(view, row, context, Precision::bfloat16);
}

/// Of tensors in 16 bits: operands in bfloat16 need no rounding, those in float16 lose bits.
KernelPtr compile_stored_bf16_gemm(const NodeView& view, const KernelRow& row,
                                   const CompileContext& context) {
  return make_fp16_kernel(compile_bf16_gemm(view, row, context), row.isa);
}

bool has_bf16_gemm_weights(const NodeView& view) {
  const Tensor* b = view.constant(1);
  if (view.constant(view.node().input(0)) != nullptr || b == nullptr) return false;
  return b->shape().rank() == 2 && !read_op<Gemm>(view.node()).transpose_a &&
         gains_from_bf16_weights(b->shape()[0], b->shape()[1]);
}

bool accepts_bf16_gemm(const NodeView& view) {
  return accepts_float32(view) && has_bf16_gemm_weights(view);
}

bool accepts_stored_bf16_gemm(const NodeView& view) {
  return accepts_fp16(view) && has_bf16_gemm_weights(view);
}

KernelPtr compile_fp16_gemm(const NodeView& view, const KernelRow& row,
                            const CompileContext& context) {
  return make_fp16_kernel(compile_gemm(view, row, context), row.isa);
}

template <typename T>
T factor_of(float value, std::string_view name) {
  if (std::is_integral_v<T> && value != 0.0F && value != 1.0F) {
    throw Error(ErrorCode::unsupported,
                format("{} = {} is not supported for integers (0 or 1 is)", name, value));
  }
  return static_cast<T>(value);
}

template <typename T>
PreparedPtr prepare_reference_gemm(const Gemm& op, const PrepareContext& context) {
  const GemmSizes sizes = gemm_sizes(op, context.inputs[0].shape, context.inputs[1].shape);
  const T alpha = factor_of<T>(op.alpha, "alpha");
  const T beta = factor_of<T>(op.beta, "beta");
  const std::int64_t a_stride = context.inputs[0].shape[1];
  const std::int64_t b_stride = context.inputs[1].shape[1];
  std::int64_t row_step = 0;
  std::int64_t column_step = 0;
  if (context.has_input(2)) {
    const Addend addend = addend_of(context.inputs[2].shape, sizes);
    if (addend == Addend::full) row_step = sizes.n;
    if (addend == Addend::per_row) row_step = 1;
    if (addend == Addend::full || addend == Addend::per_column) column_step = 1;
  }
  return make_prepared({}, [=](const RunContext& run) {
    const GemmOffsets offsets[1] = {};
    matmul_reference<T>(offsets, sizes, {run.input<T>(0), a_stride, op.transpose_a},
                        {run.input<T>(1), b_stride, op.transpose_b}, run.output<T>(0),
                        run.workers());
    scale_and_add(sizes.m, sizes.n, alpha, beta, run.input<T>(2), row_step, column_step,
                  run.output<T>(0), run.workers());
  });
}

KernelPtr compile_reference_gemm(const NodeView& view, const KernelRow& row,
                                 const CompileContext&) {
  const auto op = read_op<Gemm>(view.node());
  return make_kernel(row.name, [op, type = view.input_type(0)](const PrepareContext& context) {
    PreparedPtr result;
    with_reference_type(
        type, [&](auto number) { result = prepare_reference_gemm<decltype(number)>(op, context); });
    return result;
  });
}

// clang-format off
constexpr std::array<KernelRow, 7> gemm_rows = {{
    {"gemm_f32_avx512", "", "Gemm", Isa::avx512, "float32", accepts_float32, compile_gemm, absorbs_epilogue_or_split},
    {"gemm_f32_avx2", "", "Gemm", Isa::avx2, "float32", accepts_float32, compile_gemm, absorbs_epilogue_or_split},
    {"gemm_f32_baseline", "", "Gemm", Isa::baseline, "float32", accepts_float32, compile_gemm, absorbs_epilogue_or_split},
    {"gemm_half_avx512", "", "Gemm", Isa::avx512, fp16_type_names, accepts_fp16, compile_fp16_gemm, absorbs_epilogue_or_split},
    {"gemm_half_avx2", "", "Gemm", Isa::avx2, fp16_type_names, accepts_fp16, compile_fp16_gemm, absorbs_epilogue_or_split},
    {"gemm_half_baseline", "", "Gemm", Isa::baseline, fp16_type_names, accepts_fp16, compile_fp16_gemm, absorbs_epilogue_or_split},
    {"gemm_reference", "", "Gemm", Isa::baseline, reference_type_names, accepts_reference_type, compile_reference_gemm},
}};
constexpr std::array<KernelRow, 4> bf16_gemm_rows = {{
    {"gemm_bf16_amx", "", "Gemm", Isa::amx, "float32", accepts_bf16_gemm, compile_bf16_gemm, absorbs_epilogue_or_split},
    {"gemm_bf16_avx512", "", "Gemm", Isa::avx512, "float32", accepts_bf16_gemm, compile_bf16_gemm, absorbs_epilogue_or_split},
    {"gemm_stored_bf16_amx", "", "Gemm", Isa::amx, fp16_type_names, accepts_stored_bf16_gemm, compile_stored_bf16_gemm, absorbs_epilogue_or_split},
    {"gemm_stored_bf16_avx512", "", "Gemm", Isa::avx512, fp16_type_names, accepts_stored_bf16_gemm, compile_stored_bf16_gemm, absorbs_epilogue_or_split},
}};
// clang-format on

}  // namespace

std::span<const KernelRow> bf16_gemm_kernels() {
  return bf16_gemm_rows;
}

std::span<const KernelRow> gemm_kernels() {
  return gemm_rows;
}

}  // namespace ortool::cpu
