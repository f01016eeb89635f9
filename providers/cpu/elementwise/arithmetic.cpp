// Kernels for Add, Sub, Mul, Div, Mod and Pow with broadcasting.
#include "libcore/ops/math/arithmetic.hpp"

#include "kernels/cpu/elementwise/binary.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/math/mod.hpp"
#include "libcore/ops/math/pow.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

BinaryOp binary_op_of(const Add&) {
  return BinaryOp::add;
}
BinaryOp binary_op_of(const Sub&) {
  return BinaryOp::subtract;
}
BinaryOp binary_op_of(const Mul&) {
  return BinaryOp::multiply;
}
BinaryOp binary_op_of(const Div&) {
  return BinaryOp::divide;
}
BinaryOp binary_op_of(const Mod& op) {
  return op.sign_of_dividend ? BinaryOp::remainder : BinaryOp::modulo;
}

/// Broadcasting of an operator without legacy broadcast attributes.
LegacyBroadcast broadcast_of(const Mod&) {
  return {};
}
template <typename Op>
LegacyBroadcast broadcast_of(const Op& op) {
  return op.broadcast;
}

/// Operands that output 0 may overwrite: of its type and not broadcast.
OperandSet overwritable_operands(const PrepareContext& context) {
  OperandSet set;
  for (std::size_t i = 0; i < context.inputs.size(); ++i) {
    if (context.inputs[i].shape == context.outputs[0].shape &&
        context.inputs[i].type == context.outputs[0].type)
      set.add(i);
  }
  return set;
}

BroadcastPlan plan_of(const LegacyBroadcast& broadcast, const PrepareContext& context) {
  const Shape& first = context.inputs[0].shape;
  const Shape second = broadcast.align_second(first, context.inputs[1].shape);
  return make_broadcast_plan(first.dimensions(), second.dimensions());
}

template <typename Op>
KernelPtr compile_arithmetic(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const Op op = read_op<Op>(view.node());
  return make_kernel(row.name, [function = binary_op_of(op), broadcast = broadcast_of(op),
                                type = view.input_type(0),
                                isa = row.isa](const PrepareContext& context) {
    return make_prepared({.overwritable = overwritable_operands(context)},
                         [=, plan = plan_of(broadcast, context)](const RunContext& run) {
                           binary(function, type, run.input<std::byte>(0), run.input<std::byte>(1),
                                  run.output<std::byte>(0), plan, run.workers(), isa);
                         });
  });
}

KernelPtr compile_power(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const Pow op = read_op<Pow>(view.node());
  return make_kernel(row.name, [op, type = view.input_type(0),
                                exponent_type = view.input_type(1)](const PrepareContext& context) {
    return make_prepared({.overwritable = overwritable_operands(context)},
                         [=, plan = plan_of(op.broadcast, context)](const RunContext& run) {
                           power(type, exponent_type, run.input<std::byte>(0),
                                 run.input<std::byte>(1), run.output<std::byte>(0), plan,
                                 run.workers());
                         });
  });
}

constexpr auto arithmetic_rows =
    join_rows(isa_rows<"add">("Add", number_type_names, accepts_numbers, compile_arithmetic<Add>),
              isa_rows<"sub">("Sub", number_type_names, accepts_numbers, compile_arithmetic<Sub>),
              isa_rows<"mul">("Mul", number_type_names, accepts_numbers, compile_arithmetic<Mul>),
              isa_rows<"div">("Div", number_type_names, accepts_numbers, compile_arithmetic<Div>),
              isa_rows<"mod">("Mod", number_type_names, accepts_numbers, compile_arithmetic<Mod>),
              portable_row("pow", "Pow", number_type_names, accepts_numbers, compile_power));

}  // namespace

std::span<const KernelRow> arithmetic_kernels() {
  return arithmetic_rows;
}

}  // namespace ortool::cpu
