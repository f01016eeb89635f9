// Kernels for unary math functions: Abs, Exp, Neg, Sqrt and others.
#include "kernels/cpu/elementwise/unary.hpp"
#include "kernels/cpu/types/dispatch_data_type.hpp"
#include "libcore/ops/math/unary.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

template <UnaryOp function>
KernelPtr compile_unary(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_kernel(
      row.name, [type = view.input_type(0), isa = row.isa](const PrepareContext& context) {
        const std::int64_t count = context.inputs[0].shape.element_count();
        return make_prepared({.overwritable = {0}}, [=](const RunContext& run) {
          dispatch_data_type(type, [&](auto number) {
            using T = decltype(number);
            if constexpr (!std::is_integral_v<T>) {
              unary(function, {}, run.input<T>(0), run.output<T>(0), count, run.workers(), isa);
            } else if constexpr (!std::is_same_v<T, bool>) {
              unary_integer(function, run.input<T>(0), run.output<T>(0), count, run.workers());
            }
          });
        });
      });
}

template <LiteralText stem, UnaryOp function>
constexpr auto float_rows(const char* op_type) {
  return isa_rows<stem>(op_type, float_type_names, accepts_floats, compile_unary<function>);
}
template <LiteralText stem, UnaryOp function>
constexpr auto number_rows(const char* op_type) {
  return isa_rows<stem>(op_type, number_type_names, accepts_numbers, compile_unary<function>);
}

constexpr auto unary_math_rows = join_rows(
    number_rows<"abs", UnaryOp::absolute>("Abs"), float_rows<"ceil", UnaryOp::ceil>("Ceil"),
    float_rows<"exp", UnaryOp::exp>("Exp"), float_rows<"floor", UnaryOp::floor>("Floor"),
    float_rows<"log", UnaryOp::log>("Log"), number_rows<"neg", UnaryOp::negate>("Neg"),
    float_rows<"reciprocal", UnaryOp::reciprocal>("Reciprocal"),
    float_rows<"round", UnaryOp::round>("Round"), number_rows<"sign", UnaryOp::sign>("Sign"),
    float_rows<"sqrt", UnaryOp::sqrt>("Sqrt"));

}  // namespace

std::span<const KernelRow> unary_math_kernels() {
  return unary_math_rows;
}

}  // namespace ortool::cpu
