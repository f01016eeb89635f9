// Kernels for ArgMax and ArgMin.
#include "kernels/cpu/reduction/arg_min_max.hpp"

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/reduction/arg_extreme.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

template <typename Op, ArgExtremeKind kind>
KernelPtr compile_arg_extreme(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [op = read_op<Op>(view.node())](const PrepareContext& context) {
    const Operand& input = context.inputs[0];
    const std::int64_t along = normalize_axis(op.axis, input.shape.rank());
    ArgExtremeSizes sizes;
    for (std::int64_t i = 0; i < along; ++i) sizes.outer *= input.shape[i];
    sizes.axis = input.shape[along];
    for (std::int64_t i = along + 1; i < input.shape.rank(); ++i) sizes.inner *= input.shape[i];
    return make_prepared({},
                         [=, type = input.type, takes_last = op.takes_last](const RunContext& run) {
                           arg_extreme(kind, takes_last, type, run.input<std::byte>(0),
                                       run.output<std::int64_t>(0), sizes, run.workers());
                         });
  });
}

constexpr auto arg_extreme_rows =
    join_rows(portable_row("arg_max", "ArgMax", number_type_names, accepts_numbers,
                           compile_arg_extreme<ArgMax, ArgExtremeKind::largest>),
              portable_row("arg_min", "ArgMin", number_type_names, accepts_numbers,
                           compile_arg_extreme<ArgMin, ArgExtremeKind::smallest>));

}  // namespace

std::span<const KernelRow> arg_min_max_kernels() {
  return arg_extreme_rows;
}

}  // namespace ortool::cpu
