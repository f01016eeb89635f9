// Kernels for PRelu: a binary function with broadcast slopes.
#include "libcore/ops/nn/prelu.hpp"

#include <array>
#include <vector>

#include "kernels/cpu/elementwise/binary.hpp"
#include "libcore/ops/catalog.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/function_kernel.hpp"

namespace ortool::cpu {
namespace {

bool accepts_prelu(const NodeView& view) {
  return (types::high_precision_numbers | types_of({DataType::bfloat16}))
      .contains(view.input_type(0));
}

/// The slopes' shape as NumPy broadcasting requires it.
std::vector<std::int64_t> slope_shape(const PRelu& prelu, const Shape& x, const Shape& slope) {
  if (!prelu.slopes_are_channels || slope.element_count() == 1) return {slope.begin(), slope.end()};
  std::vector<std::int64_t> shape(static_cast<std::size_t>(x.rank() - 1), 1);
  shape[0] = slope[0];
  return shape;
}

KernelPtr compile_prelu(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto prelu = read_op<PRelu>(view.node());
  const DataType type = view.input_type(0);
  return make_kernel(row.name, [=, isa = row.isa](const PrepareContext& context) {
    const Shape& x = context.inputs[0].shape;
    const std::vector<std::int64_t> slopes = slope_shape(prelu, x, context.inputs[1].shape);
    return make_prepared(
        {.overwritable = {0}},
        [=, plan = make_broadcast_plan(x.dimensions(), slopes)](const RunContext& run) {
          binary(BinaryOp::prelu, type, run.input<std::byte>(0), run.input<std::byte>(1),
                 run.output<std::byte>(0), plan, run.workers(), isa);
        });
  });
}

constexpr const char* prelu_types =
    "float32, float64, float16, bfloat16, int32, int64, uint32, uint64";
constexpr std::array<KernelRow, 3> prelu_rows = {{
    {"prelu_avx512", "", "PRelu", Isa::avx512, prelu_types, accepts_prelu, compile_prelu},
    {"prelu_avx2", "", "PRelu", Isa::avx2, prelu_types, accepts_prelu, compile_prelu},
    {"prelu_baseline", "", "PRelu", Isa::baseline, prelu_types, accepts_prelu, compile_prelu},
}};

}  // namespace

std::span<const KernelRow> prelu_kernels() {
  return prelu_rows;
}

}  // namespace ortool::cpu
