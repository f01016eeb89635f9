// Kernels for Gather, GatherElements and GatherND: slices and elements selected by indices.
#include "libcore/ops/tensor/indexing/gather.hpp"

#include "kernels/cpu/data_movement/gather.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/tensor/indexing/gather_elements.hpp"
#include "libcore/ops/tensor/indexing/gather_nd.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

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

template <typename Index>
PreparedPtr prepare_gather_elements(const PrepareContext& context, std::size_t axis) {
  const Operand& data = context.inputs[0];
  const ElementPlaces places(data.shape.dimensions(), context.inputs[1].shape.dimensions(), axis);
  return make_prepared({}, [=, element_bytes = element_bits(data.type) / 8](const RunContext& run) {
    gather_elements(run.input<std::byte>(0), run.input<Index>(1), run.output<std::byte>(0), places,
                    element_bytes, run.workers());
  });
}

KernelPtr compile_gather_elements(const NodeView& view, const KernelRow& row,
                                  const CompileContext&) {
  return make_kernel(
      row.name, [op = read_op<GatherElements>(view.node())](const PrepareContext& context) {
        const auto axis =
            static_cast<std::size_t>(normalize_axis(op.axis, context.inputs[0].shape.rank()));
        return context.inputs[1].type == DataType::int64
                   ? prepare_gather_elements<std::int64_t>(context, axis)
                   : prepare_gather_elements<std::int32_t>(context, axis);
      });
}

KernelPtr compile_gather_nd(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [op =
                                    read_op<GatherND>(view.node())](const PrepareContext& context) {
    const Operand& data = context.inputs[0];
    const Shape& indices = context.inputs[1].shape;
    const std::int64_t depth = indices[indices.rank() - 1];
    const std::int64_t rows = indices.product(0, indices.rank() - 1);
    return make_prepared({}, [=, shape = data.shape, batch_dims = op.batch_dims,
                              element_bytes = element_bits(data.type) / 8](const RunContext& run) {
      gather_nd(run.input<std::byte>(0), shape.dimensions(), run.input<std::int64_t>(1), rows,
                depth, batch_dims, run.output<std::byte>(0), element_bytes, run.workers());
    });
  });
}

constexpr auto gather_rows = join_rows(
    portable_row("gather", "Gather", int8_type_names, accepts_whole_bytes, compile_gather),
    portable_row("gather_elements", "GatherElements", int8_type_names, accepts_whole_bytes,
                 compile_gather_elements),
    portable_row("gather_nd", "GatherND", int8_type_names, accepts_whole_bytes, compile_gather_nd));

}  // namespace

std::span<const KernelRow> gather_kernels() {
  return gather_rows;
}

}  // namespace ortool::cpu
