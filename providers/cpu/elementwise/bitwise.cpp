// Kernels for BitShift and the bitwise And, Or, Xor and Not.
#include "libcore/ops/math/bitwise.hpp"

#include "kernels/cpu/elementwise/binary.hpp"
#include "kernels/cpu/elementwise/unary.hpp"
#include "kernels/cpu/types/dispatch_data_type.hpp"
#include "libcore/ops/catalog.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

KernelPtr make_bitwise_kernel(const KernelRow& row, BinaryOp function, DataType type) {
  return make_kernel(row.name, [=, isa = row.isa](const PrepareContext& context) {
    OperandSet overwritable;
    for (std::size_t i = 0; i < 2; ++i) {
      if (context.inputs[i].shape == context.outputs[0].shape) overwritable.add(i);
    }
    BroadcastPlan plan = make_broadcast_plan(context.inputs[0].shape.dimensions(),
                                             context.inputs[1].shape.dimensions());
    return make_prepared({.overwritable = overwritable},
                         [=, plan = std::move(plan)](const RunContext& run) {
                           binary(function, type, run.input<std::byte>(0), run.input<std::byte>(1),
                                  run.output<std::byte>(0), plan, run.workers(), isa);
                         });
  });
}

template <BinaryOp function>
KernelPtr compile_bitwise(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_bitwise_kernel(row, function, view.input_type(0));
}

KernelPtr compile_bit_shift(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<BitShift>(view.node());
  return make_bitwise_kernel(row, op.to_the_right ? BinaryOp::shift_right : BinaryOp::shift_left,
                             view.input_type(0));
}

KernelPtr compile_bitwise_not(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [type = view.input_type(0)](const PrepareContext& context) {
    const std::int64_t count = context.inputs[0].shape.element_count();
    return make_prepared({.overwritable = {0}}, [=](const RunContext& run) {
      dispatch_data_type(type, [&](auto number) {
        using T = decltype(number);
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
          bitwise_not(run.input<T>(0), run.output<T>(0), count, run.workers());
      });
    });
  });
}

constexpr auto bitwise_rows = join_rows(
    isa_rows<"bit_shift">("BitShift", "integers", accepts_integers, compile_bit_shift),
    isa_rows<"bitwise_and">("BitwiseAnd", "integers", accepts_integers,
                            compile_bitwise<BinaryOp::bit_and>),
    portable_row("bitwise_not", "BitwiseNot", "integers", accepts_integers, compile_bitwise_not),
    isa_rows<"bitwise_or">("BitwiseOr", "integers", accepts_integers,
                           compile_bitwise<BinaryOp::bit_or>),
    isa_rows<"bitwise_xor">("BitwiseXor", "integers", accepts_integers,
                            compile_bitwise<BinaryOp::bit_xor>));

}  // namespace

std::span<const KernelRow> bitwise_kernels() {
  return bitwise_rows;
}

}  // namespace ortool::cpu
