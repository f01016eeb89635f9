// Kernels for MatMul: float32 with fused epilogue, plain loops for other types.
#include "libcore/ops/math/matmul.hpp"

#include <array>

#include "kernels/cpu/elementwise/unfused_epilogue.hpp"
#include "kernels/cpu/gemm/f32/gemm.hpp"
#include "kernels/cpu/gemm/matmul_shapes.hpp"
#include "kernels/cpu/gemm/reference_gemm.hpp"
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

/// Decided at compile time, once per node.
struct CompiledMatMul {
  ProductEpilogue epilogue;
  Isa isa = Isa::baseline;
  int max_threads = 1;
  PackedWeights b;  ///< empty if it comes at run time or has several matrices
  AlignedBuffer bias;
};

class MatMulPrepared : public Prepared {
 public:
  MatMulPrepared(const CompiledMatMul& matmul, const PrepareContext& context)
      : matmul_(matmul), shapes_(match_matmul(context.inputs[0].shape, context.inputs[1].shape)) {
    const Isa isa = matmul.isa;
    space_ =
        layout_.add(!matmul.b.is_empty() ? matmul.b.workspace_bytes(shapes_.sizes)
                    : shapes_.is_single  ? gemm_unpacked_workspace_bytes(shapes_.sizes, isa)
                                         : gemm_batched_workspace_bytes(
                                               static_cast<std::int64_t>(shapes_.offsets.size()),
                                               shapes_.sizes, isa, matmul.max_threads));
    if (matmul.epilogue.residual < 0) return;
    const Shape& residual =
        context.inputs[static_cast<std::size_t>(matmul.epilogue.residual)].shape;
    if (shapes_.result == residual) return;
    unfused_.emplace(shapes_.result, residual, matmul.epilogue.activation, matmul.epilogue.low,
                     matmul.epilogue.high, isa);
    result_space_ = layout_.add(bytes_of(DataType::float32, shapes_.result.element_count()));
  }

  std::int64_t workspace_bytes() const override { return layout_.bytes(); }

  void run(const RunContext& context) const override {
    SizedWorkers workers(context.workers(), matmul_.max_threads);
    const GemmSizes& sizes = shapes_.sizes;
    const StridedMatrix a{context.input<float>(0), sizes.k};
    const StridedMatrix b{context.input<float>(1), sizes.n};
    float* out = context.output<float>(0);
    float* result = unfused_ ? reinterpret_cast<float*>(context.workspace() + result_space_) : out;
    std::byte* space = context.workspace() + space_;
    const Epilogue epilogue = make_epilogue(context);
    if (!matmul_.b.is_empty()) {
      matmul_.b.multiply(sizes, a, result, epilogue, space, context, workers.get());
    } else if (shapes_.is_single) {
      gemm_unpacked(sizes, a, b, result, sizes.n, epilogue, matmul_.isa, space, workers.get());
    } else {
      gemm_batched(shapes_.offsets, sizes, a, b, result, sizes.n, epilogue, matmul_.isa, space,
                   workers.get());
    }
    if (unfused_)
      unfused_->run(result, residual_of(matmul_.epilogue, context), out, context.workers());
  }

 private:
  Epilogue make_epilogue(const RunContext& context) const {
    Epilogue epilogue;
    if (matmul_.bias.size_bytes() > 0) {
      epilogue.addend = Addend::per_column;
      epilogue.added = matmul_.bias.as<float>();
    }
    if (unfused_) return epilogue;
    set_residual_and_activation(epilogue, matmul_.epilogue, context);
    epilogue.residual_stride = shapes_.sizes.n;
    return epilogue;
  }

  const CompiledMatMul& matmul_;
  MatMulShapes shapes_;
  WorkspaceLayout layout_;
  std::int64_t space_ = 0;
  std::int64_t result_space_ = 0;
  std::optional<UnfusedResidual> unfused_;  ///< set if the residual must be broadcast
};

class MatMulKernel : public Kernel {
 public:
  MatMulKernel(const NodeView& view, const KernelRow& row, const CompileContext& context,
               Precision operands)
      : name_(row.name) {
    matmul_.isa = row.isa;
    matmul_.max_threads = context.max_threads;
    matmul_.epilogue = epilogue_before_split(view);
    matmul_.bias = shift_of(matmul_.epilogue, context.cap);
    pack(view, operands, context);
  }

  std::string_view name() const override { return name_; }
  PreparedPtr prepare(const PrepareContext& context) const override {
    return std::make_unique<const MatMulPrepared>(matmul_, context);
  }
  bool needs_input(std::size_t index) const override {
    if (index == 1) return matmul_.b.is_empty();
    return index == 0 || static_cast<std::int64_t>(index) == matmul_.epilogue.residual;
  }
  std::int64_t packed_bytes() const override {
    return matmul_.b.size_bytes() + matmul_.bias.size_bytes();
  }

 private:
  void pack(const NodeView& view, Precision operands, const CompileContext& context) {
    const Tensor* b = view.constant(1);
    if (b == nullptr || !is_float_like(b->type()) || b->shape().rank() == 0) return;
    const Shape& shape = b->shape();
    const std::int64_t rank = shape.rank();
    if (rank > 2 && shape.product(0, rank - 2) != 1) return;
    const std::int64_t n = rank == 1 ? 1 : shape[rank - 1];
    const std::int64_t k = rank == 1 ? shape[0] : shape[rank - 2];
    matmul_.b.take(view, k, n, false, {matmul_.isa, operands}, context);
  }

  std::string_view name_;
  CompiledMatMul matmul_;
};

KernelPtr compile_matmul(const NodeView& view, const KernelRow& row,
                         const CompileContext& context) {
  return std::make_unique<const MatMulKernel>(view, row, context, Precision::float32);
}

KernelPtr compile_bf16_matmul(const NodeView& view, const KernelRow& row,
                              const CompileContext& context) {
  return std::make_unique<const MatMulKernel>(view, row, context, Precision::bfloat16);
}

/// Of tensors in 16 bits: operands in bfloat16 need no rounding, those in float16 lose bits.
KernelPtr compile_stored_bf16_matmul(const NodeView& view, const KernelRow& row,
                                     const CompileContext& context) {
  return make_fp16_kernel(compile_bf16_matmul(view, row, context), row.isa);
}

bool has_bf16_weights(const NodeView& view) {
  const Tensor* b = view.constant(1);
  if (view.constant(view.node().input(0)) != nullptr || b == nullptr) return false;
  const Shape& shape = b->shape();
  const std::int64_t rank = shape.rank();
  return rank >= 2 && shape.product(0, rank - 2) == 1 &&
         gains_from_bf16_weights(shape[rank - 2], shape[rank - 1]);
}

bool accepts_bf16_matmul(const NodeView& view) {
  return accepts_float32(view) && has_bf16_weights(view);
}

bool accepts_stored_bf16_matmul(const NodeView& view) {
  return accepts_fp16(view) && has_bf16_weights(view);
}

KernelPtr compile_fp16_matmul(const NodeView& view, const KernelRow& row,
                              const CompileContext& context) {
  return make_fp16_kernel(compile_matmul(view, row, context), row.isa);
}

KernelPtr compile_reference_matmul(const NodeView& view, const KernelRow& row,
                                   const CompileContext&) {
  const DataType type = view.input_type(0);
  return make_kernel(row.name, [type](const PrepareContext& context) {
    MatMulShapes shapes = match_matmul(context.inputs[0].shape, context.inputs[1].shape);
    return make_prepared({}, [type, shapes = std::move(shapes)](const RunContext& run) {
      with_reference_type(type, [&](auto number) {
        using T = decltype(number);
        matmul_reference<T>(shapes.offsets, shapes.sizes, {run.input<T>(0), shapes.sizes.k},
                            {run.input<T>(1), shapes.sizes.n}, run.output<T>(0), run.workers());
      });
    });
  });
}

// clang-format off
constexpr std::array<KernelRow, 7> matmul_rows = {{
    {"matmul_f32_avx512", "", "MatMul", Isa::avx512, "float32", accepts_float32, compile_matmul, absorbs_epilogue_or_split},
    {"matmul_f32_avx2", "", "MatMul", Isa::avx2, "float32", accepts_float32, compile_matmul, absorbs_epilogue_or_split},
    {"matmul_f32_baseline", "", "MatMul", Isa::baseline, "float32", accepts_float32, compile_matmul, absorbs_epilogue_or_split},
    {"matmul_half_avx512", "", "MatMul", Isa::avx512, fp16_type_names, accepts_fp16, compile_fp16_matmul, absorbs_epilogue_or_split},
    {"matmul_half_avx2", "", "MatMul", Isa::avx2, fp16_type_names, accepts_fp16, compile_fp16_matmul, absorbs_epilogue_or_split},
    {"matmul_half_baseline", "", "MatMul", Isa::baseline, fp16_type_names, accepts_fp16, compile_fp16_matmul, absorbs_epilogue_or_split},
    {"matmul_reference", "", "MatMul", Isa::baseline, reference_type_names, accepts_reference_type, compile_reference_matmul},
}};
constexpr std::array<KernelRow, 4> bf16_matmul_rows = {{
    {"matmul_bf16_amx", "", "MatMul", Isa::amx, "float32", accepts_bf16_matmul, compile_bf16_matmul, absorbs_epilogue_or_split},
    {"matmul_bf16_avx512", "", "MatMul", Isa::avx512, "float32", accepts_bf16_matmul, compile_bf16_matmul, absorbs_epilogue_or_split},
    {"matmul_stored_bf16_amx", "", "MatMul", Isa::amx, fp16_type_names, accepts_stored_bf16_matmul, compile_stored_bf16_matmul, absorbs_epilogue_or_split},
    {"matmul_stored_bf16_avx512", "", "MatMul", Isa::avx512, fp16_type_names, accepts_stored_bf16_matmul, compile_stored_bf16_matmul, absorbs_epilogue_or_split},
}};
// clang-format on

}  // namespace

std::span<const KernelRow> bf16_matmul_kernels() {
  return bf16_matmul_rows;
}

std::span<const KernelRow> matmul_kernels() {
  return matmul_rows;
}

}  // namespace ortool::cpu
