// Kernels for trigonometric and hyperbolic functions and their inverses.
#include "libcore/ops/math/trigonometry.hpp"

#include "kernels/cpu/elementwise/unary.hpp"
#include "kernels/cpu/types/dispatch_data_type.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

template <UnaryOp function>
KernelPtr compile_trigonometry(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_kernel(
      row.name, [type = view.input_type(0), isa = row.isa](const PrepareContext& context) {
        const std::int64_t count = context.inputs[0].shape.element_count();
        return make_prepared({.overwritable = {0}}, [=](const RunContext& run) {
          dispatch_data_type(type, [&](auto number) {
            using T = decltype(number);
            if constexpr (!std::is_integral_v<T>)
              unary(function, {}, run.input<T>(0), run.output<T>(0), count, run.workers(), isa);
          });
        });
      });
}

template <LiteralText stem, UnaryOp function>
constexpr auto vector_rows(const char* op_type) {
  return isa_rows<stem>(op_type, float_type_names, accepts_floats, compile_trigonometry<function>);
}
template <UnaryOp function>
constexpr auto library_row(const char* name, const char* op_type) {
  return portable_row(name, op_type, float_type_names, accepts_floats,
                      compile_trigonometry<function>);
}

constexpr auto trigonometry_rows = join_rows(
    library_row<UnaryOp::acos>("acos", "Acos"), library_row<UnaryOp::acosh>("acosh", "Acosh"),
    library_row<UnaryOp::asin>("asin", "Asin"), library_row<UnaryOp::asinh>("asinh", "Asinh"),
    library_row<UnaryOp::atan>("atan", "Atan"), library_row<UnaryOp::atanh>("atanh", "Atanh"),
    vector_rows<"cos", UnaryOp::cos>("Cos"), library_row<UnaryOp::cosh>("cosh", "Cosh"),
    vector_rows<"sin", UnaryOp::sin>("Sin"), library_row<UnaryOp::sinh>("sinh", "Sinh"),
    library_row<UnaryOp::tan>("tan", "Tan"));

}  // namespace

std::span<const KernelRow> trigonometry_kernels() {
  return trigonometry_rows;
}

}  // namespace ortool::cpu
