// Kernels for Compress and NonZero, whose output sizes depend on the data.
#include "kernels/cpu/data_movement/selection.hpp"

#include <vector>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/tensor/indexing/compress.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/take_slices.hpp"

namespace ortool::cpu {
namespace {

bool accepts_selected(const NodeView& view) {
  return accepts_whole_bytes(view) || view.input_type(0) == DataType::string;
}

void run_compress(const Compress& op, DynamicContext& context) {
  const Tensor& input = context.input(0);
  const std::span<const bool> condition = context.input(1).data<bool>();
  const auto length = static_cast<std::int64_t>(condition.size());
  const std::int64_t total = count_marks(condition.data(), length, context.workers());
  Tensor indices = context.make(DataType::int64, {1, total});
  const std::span<std::int64_t> chosen = indices.mutable_data<std::int64_t>();
  positions_of_marks(condition.data(), std::vector<std::int64_t>{length}, total, chosen.data());
  GatherSizes sizes = {1, input.element_count(), 1};
  Shape shape = {total};
  if (op.axis) {
    const Shape& whole = input.shape();
    const std::int64_t axis = normalize_axis(*op.axis, whole.rank());
    sizes = {whole.product(0, axis), whole[axis], whole.product(axis + 1, whole.rank())};
    std::vector<std::int64_t> dimensions(whole.begin(), whole.end());
    dimensions[static_cast<std::size_t>(axis)] = total;
    shape = Shape(std::move(dimensions));
  }
  context.set_output(0, take_slices(context, input, chosen, sizes, std::move(shape)));
}

KernelPtr compile_compress(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_dynamic_kernel(row.name, [op = read_op<Compress>(view.node())](
                                           DynamicContext& context) { run_compress(op, context); });
}

/// Marks the nonzero elements of a tensor, or its nonempty strings.
Tensor marks_of(const DynamicContext& context, const Tensor& input) {
  Tensor marks = context.make(DataType::boolean, input.shape());
  bool* out = marks.mutable_data<bool>().data();
  if (input.type() == DataType::string) {
    for (const std::string& text : input.strings()) *out++ = !text.empty();
  } else {
    mark_non_zero(input.type(), input.bytes(), out, input.element_count(), context.workers());
  }
  return marks;
}

KernelPtr compile_non_zero(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_dynamic_kernel(row.name, [](DynamicContext& context) {
    const Tensor& input = context.input(0);
    const Tensor marks = marks_of(context, input);
    const bool* first = marks.data<bool>().data();
    const std::int64_t total = count_marks(first, input.element_count(), context.workers());
    Tensor result = context.make(DataType::int64, {input.shape().rank(), total});
    positions_of_marks(first, input.shape().dimensions(), total,
                       result.mutable_data<std::int64_t>().data());
    context.set_output(0, std::move(result));
  });
}

constexpr auto selection_rows =
    join_rows(portable_row("compress", "Compress", "all but packed types", accepts_selected,
                           compile_compress),
              portable_row("non_zero", "NonZero", "all but packed types", accepts_selected,
                           compile_non_zero));

}  // namespace

std::span<const KernelRow> selection_kernels() {
  return selection_rows;
}

}  // namespace ortool::cpu
