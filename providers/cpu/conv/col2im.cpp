// Kernels for Col2Im.
#include "libcore/ops/nn/conv/col2im.hpp"

#include <array>

#include "kernels/cpu/conv/col2im.hpp"
#include "libcore/ops/catalog.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/known_operand.hpp"

namespace ortool::cpu {
namespace {

template <typename T>
KernelPtr make_col2im(const KernelRow& row, const Col2Im& op) {
  return make_kernel(row.name, [op](const PrepareContext& context) {
    const std::vector<std::int64_t> image =
        required_operand(context, {.value = std::nullopt, .input = 1}, "image_shape");
    const std::vector<std::int64_t> block =
        required_operand(context, {.value = std::nullopt, .input = 2}, "block_shape");
    std::vector<BlockAxis> axes;
    for (const WindowAxis& axis : place_window(op.window, image, block)) {
      axes.push_back({.image = axis.in,
                      .blocks = axis.out,
                      .kernel = axis.kernel,
                      .stride = axis.stride,
                      .dilation = axis.dilation,
                      .pad = axis.pad_begin});
    }
    const std::int64_t planes = context.outputs[0].shape.product(0, 2);
    return make_prepared({}, [=, axes = std::move(axes)](const RunContext& run) {
      col2im(planes, axes, run.input<T>(0), run.output<T>(0), run.workers());
    });
  });
}

KernelPtr compile_col2im(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<Col2Im>(view.node());
  const DataType type = view.input_type(0);
  if (accepts_fp16(view)) return make_fp16_kernel(make_col2im<float>(row, op), row.isa);
  if (type == DataType::float32) return make_col2im<float>(row, op);
  if (type == DataType::float64) return make_col2im<double>(row, op);
  switch (element_bits(type)) {
    case 8:
      return make_col2im<std::uint8_t>(row, op);
    case 16:
      return make_col2im<std::uint16_t>(row, op);
    case 32:
      return make_col2im<std::uint32_t>(row, op);
    default:
      return make_col2im<std::uint64_t>(row, op);
  }
}

constexpr auto col2im_rows =
    portable_row("col2im", "Col2Im", number_type_names, accepts_numbers, compile_col2im);

}  // namespace

std::span<const KernelRow> col2im_kernels() {
  return col2im_rows;
}

}  // namespace ortool::cpu
