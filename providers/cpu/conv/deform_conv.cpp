// Kernels for DeformConv.
#include "libcore/ops/nn/conv/deform_conv.hpp"

#include <array>
#include <limits>

#include "kernels/cpu/conv/deform_conv.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/window_sizes.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"

namespace ortool::cpu {
namespace {

DeformConvSizes deform_conv_sizes(const DeformConv& op, const Shape& x, const Shape& weights) {
  constexpr std::size_t max_axes = 3;
  const std::vector<WindowAxis> window =
      place_window(op.window, x.dimensions().subspan(2), weights.dimensions().subspan(2));
  if (window.size() > max_axes) {
    throw Error(ErrorCode::unsupported,
                format("a deformable convolution along {} axes is not supported (at most {})",
                       window.size(), max_axes));
  }
  DeformConvSizes sizes;
  sizes.axes = static_cast<std::int64_t>(window.size());
  sizes.batch = x[0];
  sizes.groups = op.groups;
  sizes.offset_groups = op.offset_groups;
  sizes.channels_in = x[1];
  sizes.channels_out = weights[0];
  if (x.product(2, x.rank()) > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorCode::unsupported, "images of more than 2^31 pixels are not supported");
  put_window(window, sizes);
  return sizes;
}

template <typename T>
KernelPtr make_deform_conv(const KernelRow& row, const DeformConv& op) {
  return make_kernel(row.name, [op, isa = row.isa](const PrepareContext& context) {
    const DeformConvSizes sizes =
        deform_conv_sizes(op, context.inputs[0].shape, context.inputs[1].shape);
    return make_prepared({.workspace_bytes = deform_conv_workspace_bytes<T>(sizes, isa)},
                         [=](const RunContext& run) {
                           const DeformConvOperands<T> operands = {.x = run.input<T>(0),
                                                                   .weights = run.input<T>(1),
                                                                   .offsets = run.input<T>(2),
                                                                   .bias = run.input<T>(3),
                                                                   .mask = run.input<T>(4),
                                                                   .y = run.output<T>(0)};
                           deform_conv(sizes, operands, isa, run.workspace(), run.workers());
                         });
  });
}

KernelPtr compile_deform_conv(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<DeformConv>(view.node());
  if (view.input_type(0) == DataType::float64) return make_deform_conv<double>(row, op);
  KernelPtr kernel = make_deform_conv<float>(row, op);
  return accepts_fp16(view) ? make_fp16_kernel(std::move(kernel), row.isa) : std::move(kernel);
}

constexpr auto deform_conv_rows =
    isa_rows<"deform_conv">("DeformConv", float_type_names, accepts_floats, compile_deform_conv);

}  // namespace

std::span<const KernelRow> deform_conv_kernels() {
  return deform_conv_rows;
}

}  // namespace ortool::cpu
