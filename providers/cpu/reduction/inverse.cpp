// Kernels for com.microsoft.Inverse.
#include "kernels/cpu/reduction/matrix_inverse.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

template <typename T>
PreparedPtr prepare_inverse(const PrepareContext& context, int threads) {
  const Shape& shape = context.inputs[0].shape;
  const std::int64_t n = shape[shape.rank() - 1];
  const std::int64_t matrices = shape.product(0, shape.rank() - 2);
  return make_prepared({.workspace_bytes = inverse_workspace_bytes(n, threads)},
                       [=](const RunContext& run) {
                         SizedWorkers workers(run.workers(), threads);
                         matrix_inverse(run.input<T>(0), run.output<T>(0), matrices, n,
                                        run.workspace(), workers.get());
                       });
}

bool accepts_inverse(const NodeView& view) {
  return accepts_float32(view) || accepts_float64(view);
}

KernelPtr compile_inverse(const NodeView&, const KernelRow& row, const CompileContext& compile) {
  return make_kernel(row.name, [threads = compile.max_threads](const PrepareContext& context) {
    return context.inputs[0].type == DataType::float64 ? prepare_inverse<double>(context, threads)
                                                       : prepare_inverse<float>(context, threads);
  });
}

KernelPtr compile_fp16_inverse(const NodeView& view, const KernelRow& row,
                               const CompileContext& context) {
  return make_fp16_kernel(compile_inverse(view, row, context), row.isa);
}

constexpr auto inverse_rows =
    join_rows(portable_row("inverse", "Inverse", "float32, float64", accepts_inverse,
                           compile_inverse, contrib_domain),
              isa_rows<"inverse_half">("Inverse", fp16_type_names, accepts_fp16,
                                       compile_fp16_inverse, contrib_domain));

}  // namespace

std::span<const KernelRow> inverse_kernels() {
  return inverse_rows;
}

}  // namespace ortool::cpu
