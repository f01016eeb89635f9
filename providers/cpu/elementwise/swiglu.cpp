// Kernels for SwiGLU.
#include "libcore/ops/nn/swiglu.hpp"

#include "kernels/cpu/elementwise/swiglu.hpp"
#include "libcore/ops/catalog.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"

namespace ortool::cpu {
namespace {

std::int64_t gated_count(const PrepareContext& context) {
  if (context.inputs[0].shape != context.inputs[1].shape)
    throw Error(ErrorCode::invalid, "'A' and 'B' differ in shape");
  return context.inputs[0].shape.element_count();
}

KernelPtr compile_swiglu(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const float alpha = read_op<SwiGLU>(view.node()).alpha;
  return make_kernel(row.name, [alpha, isa = row.isa](const PrepareContext& context) {
    const std::int64_t count = gated_count(context);
    return make_prepared({.overwritable = {0}}, [=](const RunContext& run) {
      swiglu(run.input<float>(0), run.input<float>(1), run.output<float>(0), count, alpha,
             run.workers(), isa);
    });
  });
}

KernelPtr compile_fp16_swiglu(const NodeView& view, const KernelRow& row,
                              const CompileContext& context) {
  return make_fp16_kernel(compile_swiglu(view, row, context), row.isa);
}

KernelPtr compile_double_swiglu(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const float alpha = read_op<SwiGLU>(view.node()).alpha;
  return make_kernel(row.name, [alpha](const PrepareContext& context) {
    const std::int64_t count = gated_count(context);
    return make_prepared({.overwritable = {0}}, [=](const RunContext& run) {
      swiglu(run.input<double>(0), run.input<double>(1), run.output<double>(0), count, alpha,
             run.workers());
    });
  });
}

constexpr auto swiglu_rows = join_rows(
    isa_rows<"swiglu_f32">("SwiGLU", "float32", accepts_float32, compile_swiglu),
    isa_rows<"swiglu_half">("SwiGLU", fp16_type_names, accepts_fp16, compile_fp16_swiglu),
    portable_row("swiglu_f64", "SwiGLU", "float64", accepts_floats, compile_double_swiglu));

}  // namespace

std::span<const KernelRow> swiglu_kernels() {
  return swiglu_rows;
}

}  // namespace ortool::cpu
