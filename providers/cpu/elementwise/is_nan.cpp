// Kernel for IsNaN.
#include "libcore/ops/math/is_nan.hpp"

#include "kernels/cpu/elementwise/unary.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/float_bits.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

KernelPtr compile_is_nan(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [](const PrepareContext& context) {
    const DataType type = context.inputs[0].type;
    const std::int64_t count = context.inputs[0].shape.element_count();
    return make_prepared({}, [=](const RunContext& run) {
      auto* out = run.output<bool>(0);
      with_float_bits(type, [&](auto number) {
        using T = decltype(number);
        if constexpr (std::is_same_v<T, std::uint8_t>) {
          is_nan_float8(type, run.input<T>(0), out, count, run.workers());
        } else {
          is_nan(run.input<T>(0), out, count, run.workers());
        }
      });
    });
  });
}

constexpr auto is_nan_rows =
    portable_row("is_nan", "IsNaN", float_or_float8_names, accepts_float_or_float8, compile_is_nan);

}  // namespace

std::span<const KernelRow> is_nan_kernels() {
  return is_nan_rows;
}

}  // namespace ortool::cpu
