// The kernel row of Gather: slices picked by indices.
#include "libcore/ops/tensor/gather.hpp"

#include "kernels/cpu/gather.hpp"
#include "libcore/ops/catalog.hpp"
#include "providers/cpu/accepts.hpp"
#include "providers/cpu/function_kernel.hpp"
#include "providers/cpu/kernel_files.hpp"
#include "providers/cpu/level_rows.hpp"

namespace ortool::cpu {
namespace {

template <typename Index>
PreparedPtr prepare_gather(const PrepareContext& context, GatherSizes sizes) {
  const std::int64_t element_bytes = element_bits(context.inputs[0].type) / 8;
  const auto count = static_cast<std::size_t>(context.inputs[1].shape.element_count());
  return make_prepared({}, [=](const RunContext& run) {
    gather<Index>(run.input<std::byte>(0), std::span(run.input<Index>(1), count),
                  run.output<std::byte>(0), sizes, element_bytes, run.workers());
  });
}

KernelPtr compile_gather(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [op = read_op<Gather>(view.node())](const PrepareContext& context) {
    const Shape& shape = context.inputs[0].shape;
    const std::int64_t axis = normalize_axis(op.axis, shape.rank());
    const GatherSizes sizes = {shape.product(0, axis), shape[axis],
                               shape.product(axis + 1, shape.rank())};
    return context.inputs[1].type == DataType::int64 ? prepare_gather<std::int64_t>(context, sizes)
                                                     : prepare_gather<std::int32_t>(context, sizes);
  });
}

constexpr auto gather_rows =
    plain_row("gather", "Gather", byte_type_names, accepts_whole_bytes, compile_gather);

}  // namespace

std::span<const KernelRow> gather_kernels() {
  return gather_rows;
}

}  // namespace ortool::cpu
