// Kernels for Scatter, ScatterElements and ScatterND.
#include "kernels/cpu/data_movement/scatter.hpp"

#include <cstring>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/tensor/indexing/scatter_elements.hpp"
#include "libcore/ops/tensor/indexing/scatter_nd.hpp"
#include "providers/cpu/data_movement/copied_input.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

ScatterOp scatter_op_of(ScatterReduction reduction) {
  switch (reduction) {
    case ScatterReduction::add:
      return ScatterOp::add;
    case ScatterReduction::multiply:
      return ScatterOp::multiply;
    case ScatterReduction::maximum:
      return ScatterOp::maximum;
    case ScatterReduction::minimum:
      return ScatterOp::minimum;
    default:
      return ScatterOp::replace;
  }
}

template <typename Op>
bool accepts_scatter(const NodeView& view) {
  return can_scatter(scatter_op_of(read_op<Op>(view.node()).reduction), view.input_type(0));
}

/// Sums of 16-bit floats go through float32, so that repeated updates of one element are not
/// rounded each time.
KernelPtr with_wide_sums(KernelPtr kernel, const NodeView& view, const KernelRow& row,
                         ScatterReduction reduction) {
  if (!accepts_fp16(view) || reduction == ScatterReduction::none) return kernel;
  return make_fp16_kernel(std::move(kernel), row.isa);
}

template <typename Index>
PreparedPtr prepare_scatter_elements(const PrepareContext& context, std::size_t axis,
                                     ScatterOp op) {
  const Operand& data = context.inputs[0];
  const ElementPlaces places(data.shape.dimensions(), context.inputs[1].shape.dimensions(), axis);
  return make_prepared({.overwritable = {0}}, [=](const RunContext& run) {
    copy_input(data, run);
    scatter_elements(run.output<std::byte>(0), run.input<Index>(1), run.input<std::byte>(2), places,
                     op, data.type, run.workers());
  });
}

template <typename Op>
KernelPtr compile_scatter_elements(const NodeView& view, const KernelRow& row,
                                   const CompileContext&) {
  const Op op = read_op<Op>(view.node());
  KernelPtr kernel = make_kernel(row.name, [op](const PrepareContext& context) {
    const auto axis =
        static_cast<std::size_t>(normalize_axis(op.axis, context.inputs[0].shape.rank()));
    const ScatterOp function = scatter_op_of(op.reduction);
    return context.inputs[1].type == DataType::int64
               ? prepare_scatter_elements<std::int64_t>(context, axis, function)
               : prepare_scatter_elements<std::int32_t>(context, axis, function);
  });
  return with_wide_sums(std::move(kernel), view, row, op.reduction);
}

KernelPtr compile_scatter_nd(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<ScatterND>(view.node());
  KernelPtr kernel = make_kernel(row.name, [op](const PrepareContext& context) {
    const Shape& indices = context.inputs[1].shape;
    const std::int64_t depth = indices[indices.rank() - 1];
    const std::int64_t rows = indices.product(0, indices.rank() - 1);
    return make_prepared(
        {.overwritable = {0}}, [=, data = context.inputs[0]](const RunContext& run) {
          copy_input(data, run);
          scatter_nd(run.output<std::byte>(0), data.shape.dimensions(), run.input<std::int64_t>(1),
                     rows, depth, run.input<std::byte>(2), scatter_op_of(op.reduction), data.type,
                     run.workers());
        });
  });
  return with_wide_sums(std::move(kernel), view, row, op.reduction);
}

constexpr auto scatter_rows =
    join_rows(portable_row("scatter", "Scatter", int8_type_names, accepts_scatter<Scatter>,
                           compile_scatter_elements<Scatter>),
              isa_rows<"scatter_elements">("ScatterElements", int8_type_names,
                                           accepts_scatter<ScatterElements>,
                                           compile_scatter_elements<ScatterElements>),
              isa_rows<"scatter_nd">("ScatterND", int8_type_names, accepts_scatter<ScatterND>,
                                     compile_scatter_nd));

}  // namespace

std::span<const KernelRow> scatter_kernels() {
  return scatter_rows;
}

}  // namespace ortool::cpu
