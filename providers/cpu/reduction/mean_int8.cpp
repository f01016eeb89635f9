// Kernels for the internal operator QuantizedMean.
#include "kernels/cpu/reduction/mean_int8.hpp"

#include <array>
#include <vector>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/quantization/quantized_mean.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/int8_layouts.hpp"
#include "providers/cpu/support/quantization_params.hpp"

namespace ortool::cpu {
namespace {

KernelPtr compile_quantized_mean(const NodeView& view, const KernelRow& row,
                                 const CompileContext&) {
  return make_kernel(
      row.name, [op = read_op<ortool::QuantizedMean>(view.node())](const PrepareContext& context) {
        const Shape& x = context.inputs[0].shape;
        Int8Mean sizes;
        sizes.batch = x[0];
        sizes.channels = x[1];
        sizes.pixels = x.product(2, x.rank());
        sizes.is_blocked = context.inputs[0].layout == Layout::blocked16;
        const DataType x_type = context.inputs[0].type;
        const DataType y_type = context.inputs[4].type;
        const Int8Bounds bounds = {op.low, op.high};
        return make_prepared({}, [=](const RunContext& run) {
          Int8Mean mean = sizes;
          const std::uint8_t flip = x_type == DataType::int8 ? 128 : 0;
          mean.x = {flip, flipped_zero(x_type, run.input<std::uint8_t>(2), 0, flip),
                    *run.input<float>(1)};
          mean.y_scale = *run.input<float>(3);
          mean.range = int8_range(bounds, flipped_zero(y_type, run.input<std::uint8_t>(4), 0, 0));
          int8_mean(mean, run.input<std::uint8_t>(0), run.output<std::uint8_t>(0), run.workers());
        });
      });
}

bool accepts_int8_mean(const NodeView&) {
  return true;
}

/// Means have the same layout in NCHW and NCHW16c, so the result is NCHW.
std::vector<LayoutChoice> int8_mean_layouts(const NodeView& view, const KernelRow&) {
  if (!is_int8_image(*view.node().input(0))) return {};
  return int8_layout_choices(view, {0}, Layout::plain);
}

constexpr std::array<KernelRow, 2> quantized_mean_rows = {
    {{"quantized_mean_nchwc", "ortool", "QuantizedMean", Isa::avx2, "int8, uint8",
      accepts_int8_mean, compile_quantized_mean, nullptr, int8_mean_layouts},
     {"quantized_mean", "ortool", "QuantizedMean", Isa::baseline, "int8, uint8", accepts_int8_mean,
      compile_quantized_mean}}};

}  // namespace

std::span<const KernelRow> mean_int8_kernels() {
  return quantized_mean_rows;
}

}  // namespace ortool::cpu
