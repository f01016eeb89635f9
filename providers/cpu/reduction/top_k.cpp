// Kernel for TopK.
#include "libcore/ops/tensor/indexing/top_k.hpp"

#include "kernels/cpu/reduction/top_k.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

KernelPtr compile_top_k(const NodeView& view, const KernelRow& row, const CompileContext& compile) {
  return make_kernel(row.name, [op = read_op<TopK>(view.node()), isa = row.isa,
                                threads = compile.max_threads](const PrepareContext& context) {
    const Operand& input = context.inputs[0];
    const std::int64_t axis = normalize_axis(op.axis, input.shape.rank());
    const Operand& output = context.outputs[context.has_output(0) ? 0 : 1];
    const TopKSizes sizes = {input.shape.product(0, axis), input.shape[axis],
                             input.shape.product(axis + 1, input.shape.rank()), output.shape[axis]};
    return make_prepared({.workspace_bytes = top_k_workspace_bytes(sizes, threads)},
                         [=, type = input.type, largest = op.largest](const RunContext& run) {
                           SizedWorkers workers(run.workers(), threads);
                           top_k(largest, type, run.input<std::byte>(0), run.output<std::byte>(0),
                                 run.output<std::int64_t>(1), sizes, run.workspace(), isa,
                                 workers.get());
                         });
  });
}

constexpr auto top_k_rows =
    isa_rows<"top_k">("TopK", number_type_names, accepts_numbers, compile_top_k);

}  // namespace

std::span<const KernelRow> top_k_kernels() {
  return top_k_rows;
}

}  // namespace ortool::cpu
