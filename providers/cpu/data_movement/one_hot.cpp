// Kernel for OneHot.
#include "libcore/ops/tensor/indexing/one_hot.hpp"

#include "kernels/cpu/data_movement/one_hot.hpp"
#include "libcore/ops/catalog.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

bool accepts_one_hot(const NodeView& view) {
  return has_whole_bytes(view.input_type(2));
}

KernelPtr compile_one_hot(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [op = read_op<OneHot>(view.node())](const PrepareContext& context) {
    const Operand& indices = context.inputs[0];
    const std::int64_t rank = indices.shape.rank();
    const std::int64_t axis = normalize_axis(op.axis, rank + 1);
    const OneHotSizes sizes = {indices.shape.product(0, axis), context.outputs[0].shape[axis],
                               indices.shape.product(axis, rank)};
    return make_prepared(
        {}, [=, type = indices.type, counts_from_end = op.counts_from_end,
             element_bytes = element_bits(context.inputs[2].type) / 8](const RunContext& run) {
          one_hot(type, run.input<std::byte>(0), run.input<std::byte>(2), run.output<std::byte>(0),
                  sizes, counts_from_end, element_bytes, run.workers());
        });
  });
}

constexpr auto one_hot_rows =
    portable_row("one_hot", "OneHot", int8_type_names, accepts_one_hot, compile_one_hot);

}  // namespace

std::span<const KernelRow> one_hot_kernels() {
  return one_hot_rows;
}

}  // namespace ortool::cpu
