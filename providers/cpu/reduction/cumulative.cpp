// Kernels for CumSum and CumProd, whose axis is read at run time.
#include "kernels/cpu/reduction/cumulative.hpp"

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/math/cumulative.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

constexpr const char* cumulated_type_names =
    "float32, float64, float16, bfloat16, int32, int64, uint32, uint64";

bool accepts_cumulated(const NodeView& view) {
  constexpr TypeSet allowed = types::high_precision_numbers | types_of({DataType::bfloat16});
  return allowed.contains(view.input_type(0));
}

template <typename Op, bool multiplies>
KernelPtr compile_cumulative(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const Op op = read_op<Op>(view.node());
  const CumulativeParams params = {multiplies, op.exclusive, op.reverse};
  return make_kernel(row.name, [params, isa = row.isa](const PrepareContext& context) {
    return make_prepared(
        {.overwritable = {0}}, [params, isa, input = context.inputs[0],
                                axis_type = context.inputs[1].type](const RunContext& run) {
          const std::int64_t given = axis_type == DataType::int64 ? *run.input<std::int64_t>(1)
                                                                  : *run.input<std::int32_t>(1);
          const Shape& shape = input.shape;
          const std::int64_t axis = normalize_axis(given, shape.rank());
          const CumulativeSizes sizes = {shape.product(0, axis), shape[axis],
                                         shape.product(axis + 1, shape.rank())};
          cumulative(params, input.type, run.input<std::byte>(0), run.output<std::byte>(0), sizes,
                     isa, run.workers());
        });
  });
}

constexpr auto cumulative_rows =
    join_rows(isa_rows<"cum_prod">("CumProd", cumulated_type_names, accepts_cumulated,
                                   compile_cumulative<CumProd, true>),
              isa_rows<"cum_sum">("CumSum", cumulated_type_names, accepts_cumulated,
                                  compile_cumulative<CumSum, false>));

}  // namespace

std::span<const KernelRow> cumulative_kernels() {
  return cumulative_rows;
}

}  // namespace ortool::cpu
