// Kernels for comparisons and for And, Or, Xor, Not: operators with boolean results.
#include "libcore/ops/logical/comparison.hpp"

#include "kernels/cpu/elementwise/binary.hpp"
#include "kernels/cpu/elementwise/unary.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/logical/boolean.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

bool accepts_computable(const NodeView& view) {
  return is_computable(view.input_type(0));
}
bool accepts_booleans(const NodeView& view) {
  return view.input_type(0) == DataType::boolean;
}

BroadcastPlan comparison_plan(const LegacyBroadcast& broadcast, const PrepareContext& context) {
  const Shape& first = context.inputs[0].shape;
  const Shape second = broadcast.align_second(first, context.inputs[1].shape);
  return make_broadcast_plan(first.dimensions(), second.dimensions());
}

template <typename Op, Comparison comparison>
KernelPtr compile_comparison(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [broadcast = read_op<Op>(view.node()).broadcast,
                                isa = row.isa](const PrepareContext& context) {
    const DataType type = context.inputs[0].type;
    return make_prepared(
        {}, [=, plan = comparison_plan(broadcast, context)](const RunContext& run) {
          compare(comparison, type, run.input<std::byte>(0), run.input<std::byte>(1),
                  run.output<bool>(0), plan, run.workers(), isa);
        });
  });
}

template <typename Op, BinaryOp function>
KernelPtr compile_boolean(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [broadcast = read_op<Op>(view.node()).broadcast,
                                isa = row.isa](const PrepareContext& context) {
    OperandSet overwritable;
    for (std::size_t i = 0; i < 2; ++i) {
      if (context.inputs[i].shape == context.outputs[0].shape) overwritable.add(i);
    }
    return make_prepared({.overwritable = overwritable},
                         [=, plan = comparison_plan(broadcast, context)](const RunContext& run) {
                           binary(function, DataType::boolean, run.input<std::byte>(0),
                                  run.input<std::byte>(1), run.output<std::byte>(0), plan,
                                  run.workers(), isa);
                         });
  });
}

KernelPtr compile_not(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [](const PrepareContext& context) {
    const std::int64_t count = context.inputs[0].shape.element_count();
    return make_prepared({.overwritable = {0}}, [count](const RunContext& run) {
      logical_not(run.input<bool>(0), run.output<bool>(0), count, run.workers());
    });
  });
}

constexpr const char* comparable_names = "numbers, bool";

constexpr auto comparison_rows = join_rows(
    isa_rows<"equal">("Equal", comparable_names, accepts_computable,
                      compile_comparison<Equal, Comparison::equal>),
    isa_rows<"greater">("Greater", comparable_names, accepts_computable,
                        compile_comparison<Greater, Comparison::greater>),
    isa_rows<"greater_or_equal">("GreaterOrEqual", comparable_names, accepts_computable,
                                 compile_comparison<GreaterOrEqual, Comparison::greater_or_equal>),
    isa_rows<"less">("Less", comparable_names, accepts_computable,
                     compile_comparison<Less, Comparison::less>),
    isa_rows<"less_or_equal">("LessOrEqual", comparable_names, accepts_computable,
                              compile_comparison<LessOrEqual, Comparison::less_or_equal>),
    isa_rows<"and">("And", "bool", accepts_booleans, compile_boolean<And, BinaryOp::bit_and>),
    isa_rows<"or">("Or", "bool", accepts_booleans, compile_boolean<Or, BinaryOp::bit_or>),
    isa_rows<"xor">("Xor", "bool", accepts_booleans, compile_boolean<Xor, BinaryOp::bit_xor>),
    portable_row("not", "Not", "bool", accepts_booleans, compile_not));

}  // namespace

std::span<const KernelRow> comparison_kernels() {
  return comparison_rows;
}

}  // namespace ortool::cpu
