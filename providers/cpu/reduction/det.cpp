// Kernels for Det.
#include "libcore/ops/math/det.hpp"

#include "kernels/cpu/reduction/determinant.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

template <typename T>
PreparedPtr prepare_det(const PrepareContext& context, int threads) {
  const Shape& shape = context.inputs[0].shape;
  const std::int64_t n = shape[shape.rank() - 1];
  const std::int64_t matrices = shape.product(0, shape.rank() - 2);
  return make_prepared(
      {.workspace_bytes = determinant_workspace_bytes(n, threads)}, [=](const RunContext& run) {
        SizedWorkers workers(run.workers(), threads);
        determinant(run.input<T>(0), run.output<T>(0), matrices, n, run.workspace(), workers.get());
      });
}

bool accepts_det(const NodeView& view) {
  return view.input_type(0) == DataType::float32 || view.input_type(0) == DataType::float64;
}

KernelPtr compile_det(const NodeView&, const KernelRow& row, const CompileContext& compile) {
  return make_kernel(row.name, [threads = compile.max_threads](const PrepareContext& context) {
    return context.inputs[0].type == DataType::float64 ? prepare_det<double>(context, threads)
                                                       : prepare_det<float>(context, threads);
  });
}

KernelPtr compile_fp16_det(const NodeView& view, const KernelRow& row,
                           const CompileContext& context) {
  return make_fp16_kernel(compile_det(view, row, context), row.isa);
}

constexpr auto det_rows =
    join_rows(portable_row("det", "Det", "float32, float64", accepts_det, compile_det),
              isa_rows<"det_half">("Det", fp16_type_names, accepts_fp16, compile_fp16_det));

}  // namespace

std::span<const KernelRow> det_kernels() {
  return det_rows;
}

}  // namespace ortool::cpu
