// Kernel row of IsNaN for every float but those of 8 bits.
#include "libcore/ops/math/is_nan.hpp"

#include <array>

#include "kernels/cpu/half_bits.hpp"
#include "kernels/cpu/unary.hpp"
#include "providers/cpu/function_kernel.hpp"
#include "providers/cpu/kernel_files.hpp"

namespace ortool::cpu {
namespace {

bool accepts_is_nan(const NodeView& view) {
  return types::floats.contains(view.input_type(0));
}

template <typename T>
PreparedPtr prepare_is_nan_of(std::int64_t count) {
  return make_prepared({}, [count](const RunContext& context) {
    is_nan(context.input<T>(0), context.output<bool>(0), count, context.workers());
  });
}

PreparedPtr prepare_is_nan(const PrepareContext& context) {
  const std::int64_t count = context.inputs[0].shape.element_count();
  switch (context.inputs[0].type) {
    case DataType::float64:
      return prepare_is_nan_of<double>(count);
    case DataType::float16:
      return prepare_is_nan_of<Float16Bits>(count);
    case DataType::bfloat16:
      return prepare_is_nan_of<BFloat16Bits>(count);
    default:
      return prepare_is_nan_of<float>(count);
  }
}

KernelPtr compile_is_nan(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name,
                     [](const PrepareContext& context) { return prepare_is_nan(context); });
}

constexpr std::array<KernelRow, 1> is_nan_rows = {{
    {"is_nan", "", "IsNaN", Isa::baseline, "float32, float64, float16, bfloat16", accepts_is_nan,
     compile_is_nan},
}};

}  // namespace

std::span<const KernelRow> is_nan_kernels() {
  return is_nan_rows;
}

}  // namespace ortool::cpu
