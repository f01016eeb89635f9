// Kernels for the reductions: ReduceSum, ReduceMean, ReduceMax and others.
#include "kernels/cpu/reduction/reduce.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/reduction/reduce.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"
#include "providers/cpu/support/known_operand.hpp"

namespace ortool::cpu {
namespace {

constexpr bool is_itself_of_one(ReduceOp function) {
  return function == ReduceOp::sum || function == ReduceOp::mean || function == ReduceOp::product ||
         function == ReduceOp::maximum || function == ReduceOp::minimum;
}

template <typename Op, ReduceOp function>
KernelPtr compile_reduction(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_kernel(
      row.name, [op = read_op<Op>(view.node()), isa = row.isa](const PrepareContext& context) {
        const Operand& input = context.inputs[0];
        const std::vector<std::int64_t> given =
            known_operand(context, op.axes, "axes").value_or(std::vector<std::int64_t>());
        const std::vector<std::int64_t> axes = op.reduced_axes(input.shape.rank(), given);
        ReducePlan plan = plan_reduction(input.shape.dimensions(), axes);
        Preparation preparation;
        preparation.workspace_bytes = plan.workspace_bytes();
        if (plan.length == 1 && is_itself_of_one(function)) preparation.view_of = 0;
        return make_prepared(
            preparation, [plan = std::move(plan), type = input.type, isa](const RunContext& run) {
              reduce(function, type, run.input<std::byte>(0), run.output<std::byte>(0), plan,
                     run.workspace(), run.workers(), isa);
            });
      });
}

constexpr const char* reduced_type_names =
    "float32, float64, float16, bfloat16, int32, int64, uint32, uint64";
constexpr const char* compared_type_names =
    "float32, float64, float16, bfloat16, int8, int32, int64, uint8, uint32, uint64, bool";

constexpr TypeSet reduced_types = types::high_precision_numbers | types_of({DataType::bfloat16});

bool accepts_reduced(const NodeView& view) {
  return reduced_types.contains(view.input_type(0));
}

bool accepts_compared(const NodeView& view) {
  constexpr TypeSet small = types_of({DataType::int8, DataType::uint8, DataType::boolean});
  return accepts_reduced(view) || small.contains(view.input_type(0));
}

template <typename Op, ReduceOp function, LiteralText name>
constexpr auto reduced_rows(std::string_view op_type) {
  constexpr bool compares = function == ReduceOp::maximum || function == ReduceOp::minimum;
  return isa_rows<name>(op_type, compares ? compared_type_names : reduced_type_names,
                        compares ? accepts_compared : accepts_reduced,
                        compile_reduction<Op, function>);
}

constexpr auto reduction_rows = join_rows(
    reduced_rows<ReduceL1, ReduceOp::l1, "reduce_l1">("ReduceL1"),
    reduced_rows<ReduceL2, ReduceOp::l2, "reduce_l2">("ReduceL2"),
    reduced_rows<ReduceLogSum, ReduceOp::log_sum, "reduce_log_sum">("ReduceLogSum"),
    reduced_rows<ReduceLogSumExp, ReduceOp::log_sum_exp, "reduce_log_sum_exp">("ReduceLogSumExp"),
    reduced_rows<ReduceMax, ReduceOp::maximum, "reduce_max">("ReduceMax"),
    reduced_rows<ReduceMean, ReduceOp::mean, "reduce_mean">("ReduceMean"),
    reduced_rows<ReduceMin, ReduceOp::minimum, "reduce_min">("ReduceMin"),
    reduced_rows<ReduceProd, ReduceOp::product, "reduce_prod">("ReduceProd"),
    reduced_rows<ReduceSum, ReduceOp::sum, "reduce_sum">("ReduceSum"),
    reduced_rows<ReduceSumSquare, ReduceOp::sum_square, "reduce_sum_square">("ReduceSumSquare"));

}  // namespace

std::span<const KernelRow> reduction_kernels() {
  return reduction_rows;
}

}  // namespace ortool::cpu
