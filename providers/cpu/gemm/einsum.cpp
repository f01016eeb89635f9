// Kernels for Einsum: any formula as matrix products.
#include "libcore/ops/math/einsum.hpp"

#include "libcore/ops/catalog.hpp"
#include "providers/cpu/gemm/einsum_steps.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t max_fp16_inputs = 16;

bool accepts_einsum(const NodeView& view) {
  return accepts_numbers(view) && !accepts_fp16(view);
}
bool accepts_fp16_einsum(const NodeView& view) {
  return accepts_fp16(view) && view.node().input_count() <= max_fp16_inputs;
}

KernelPtr compile_einsum(const NodeView& view, const KernelRow& row,
                         const CompileContext& compile) {
  return make_kernel(row.name, [op = read_op<Einsum>(view.node()), isa = row.isa,
                                threads = compile.max_threads](const PrepareContext& context) {
    EinsumSteps steps(op, context, isa, threads);
    const Preparation preparation = {.workspace_bytes = steps.workspace_bytes()};
    return make_prepared(preparation,
                         [steps = std::move(steps)](const RunContext& run) { steps.run(run); });
  });
}

KernelPtr compile_fp16_einsum(const NodeView& view, const KernelRow& row,
                              const CompileContext& context) {
  return make_fp16_kernel(compile_einsum(view, row, context), row.isa);
}

constexpr auto einsum_rows = join_rows(
    isa_rows<"einsum">("Einsum", "float32, float64, integers", accepts_einsum, compile_einsum),
    isa_rows<"einsum_half">("Einsum", fp16_type_names, accepts_fp16_einsum, compile_fp16_einsum));

}  // namespace

std::span<const KernelRow> einsum_kernels() {
  return einsum_rows;
}

}  // namespace ortool::cpu
