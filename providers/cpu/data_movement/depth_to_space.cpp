// Kernels for DepthToSpace and SpaceToDepth: transposes of tensors viewed with six axes.
#include "libcore/ops/tensor/layout/depth_to_space.hpp"

#include <array>

#include "kernels/cpu/data_movement/copy_strided.hpp"
#include "libcore/ops/catalog.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"

namespace ortool::cpu {
namespace {

using Axes = std::array<std::int64_t, 6>;

struct Rearrangement {
  Axes shape;
  Axes permutation;
};

Rearrangement rearrangement_of(const DepthToSpace& op, const Shape& x) {
  const std::int64_t depth = x[1] / (op.block * op.block);
  if (op.depth_last) return {{x[0], depth, op.block, op.block, x[2], x[3]}, {0, 1, 4, 2, 5, 3}};
  return {{x[0], op.block, op.block, depth, x[2], x[3]}, {0, 3, 4, 1, 5, 2}};
}

Rearrangement rearrangement_of(const SpaceToDepth& op, const Shape& x) {
  const Axes shape = {x[0], x[1], x[2] / op.block, op.block, x[3] / op.block, op.block};
  if (op.depth_last) return {shape, {0, 1, 3, 5, 2, 4}};
  return {shape, {0, 3, 5, 1, 2, 4}};
}

template <typename Op>
KernelPtr compile_rearrangement(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<Op>(view.node());
  return make_kernel(row.name, [op](const PrepareContext& context) {
    const Operand& x = context.inputs[0];
    const Rearrangement how = rearrangement_of(op, x.shape);
    const std::int64_t bytes = element_bits(x.type) / 8;
    return make_prepared({}, [=](const RunContext& run) {
      transpose(run.input<std::byte>(0), run.output<std::byte>(0), how.shape, how.permutation,
                bytes, run.workers());
    });
  });
}

constexpr std::array<KernelRow, 2> depth_to_space_rows = {{
    {"depth_to_space", "", "DepthToSpace", Isa::baseline, int8_type_names, accepts_whole_bytes,
     compile_rearrangement<DepthToSpace>},
    {"space_to_depth", "", "SpaceToDepth", Isa::baseline, int8_type_names, accepts_whole_bytes,
     compile_rearrangement<SpaceToDepth>},
}};

}  // namespace

std::span<const KernelRow> depth_to_space_kernels() {
  return depth_to_space_rows;
}

}  // namespace ortool::cpu
