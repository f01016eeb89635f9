// Kernel for IsInf.
#include "libcore/ops/math/is_inf.hpp"

#include "kernels/cpu/elementwise/unary.hpp"
#include "libcore/ops/catalog.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/float_bits.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

KernelPtr compile_is_inf(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [op = read_op<IsInf>(view.node())](const PrepareContext& context) {
    const DataType type = context.inputs[0].type;
    const std::int64_t count = context.inputs[0].shape.element_count();
    return make_prepared({}, [=](const RunContext& run) {
      auto* out = run.output<bool>(0);
      with_float_bits(type, [&](auto number) {
        using T = decltype(number);
        if constexpr (std::is_same_v<T, std::uint8_t>) {
          is_infinite_float8(type, run.input<T>(0), out, count, op.detect_positive,
                             op.detect_negative, run.workers());
        } else {
          is_infinite(run.input<T>(0), out, count, op.detect_positive, op.detect_negative,
                      run.workers());
        }
      });
    });
  });
}

constexpr auto is_inf_rows =
    portable_row("is_inf", "IsInf", float_or_float8_names, accepts_float_or_float8, compile_is_inf);

}  // namespace

std::span<const KernelRow> is_inf_kernels() {
  return is_inf_rows;
}

}  // namespace ortool::cpu
