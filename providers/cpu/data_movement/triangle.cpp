// Kernels for Trilu and EyeLike: triangles and diagonals.
#include "kernels/cpu/data_movement/triangle.hpp"

#include <array>
#include <cstring>

#include "kernels/cpu/types/convert_element.hpp"
#include "kernels/cpu/types/dispatch_data_type.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/generator/eye_like.hpp"
#include "libcore/ops/tensor/trilu.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

KernelPtr compile_trilu(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [op = read_op<Trilu>(view.node())](const PrepareContext& context) {
    const Operand& input = context.inputs[0];
    const std::int64_t rank = input.shape.rank();
    const TriangleSizes sizes = {input.shape.product(0, rank - 2), input.shape[rank - 2],
                                 input.shape[rank - 1]};
    const bool has_k = context.has_input(1);
    return make_prepared(
        {.overwritable = {0}},
        [=, upper = op.upper, bytes = element_bits(input.type) / 8](const RunContext& run) {
          const std::int64_t k = has_k ? *run.input<std::int64_t>(1) : 0;
          triangle(run.input<std::byte>(0), run.output<std::byte>(0), sizes, k, upper, bytes,
                   run.workers());
        });
  });
}

bool accepts_eye_like(const NodeView& view) {
  return is_computable(view.output_type(0)) && element_bits(view.input_type(0)) > 0;
}

KernelPtr compile_eye_like(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const DataType type = view.output_type(0);
  std::array<std::byte, 8> one = {};
  dispatch_data_type(type, [&](auto number) {
    const auto value = convert_number<decltype(number)>(1.0F);
    std::memcpy(one.data(), &value, sizeof(value));
  });
  return make_kernel(
      row.name, [one, type, k = read_op<EyeLike>(view.node()).k](const PrepareContext& context) {
        const Shape& shape = context.outputs[0].shape;
        const TriangleSizes sizes = {1, shape[0], shape[1]};
        return make_prepared({}, [=](const RunContext& run) {
          diagonal(one.data(), run.output<std::byte>(0), sizes, k, element_bits(type) / 8,
                   run.workers());
        });
      });
}

constexpr auto triangle_rows = join_rows(
    portable_row("eye_like", "EyeLike", "numbers, bool", accepts_eye_like, compile_eye_like),
    portable_row("trilu", "Trilu", int8_type_names, accepts_whole_bytes, compile_trilu));

}  // namespace

std::span<const KernelRow> triangle_kernels() {
  return triangle_rows;
}

}  // namespace ortool::cpu
