// Kernels for com.microsoft.CropAndResize.
#include "kernels/cpu/image/crop_and_resize.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/legacy/crop_and_resize.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

template <typename T>
KernelPtr make_crop_and_resize(const KernelRow& row, const CropAndResize& op) {
  return make_kernel(row.name, [op](const PrepareContext& context) {
    const Shape& x = context.inputs[0].shape;
    const Shape& y = context.outputs[0].shape;
    const CropSizes sizes = {
        .channels = x[1], .in = {x[2], x[3]}, .out = {y[2], y[3]}, .regions = y[0]};
    return make_prepared({}, [=, batch = x[0]](const RunContext& run) {
      const auto* images = run.input<std::int32_t>(2);
      for (std::int64_t i = 0; i < sizes.regions; ++i) {
        if (images[i] >= 0 && images[i] < batch) continue;
        throw Error(ErrorCode::invalid,
                    format("a region lies in image {} of a batch of {}", images[i], batch));
      }
      crop_and_resize(sizes, op.takes_nearest, op.outside, run.input<T>(0), run.input<T>(1), images,
                      run.output<T>(0), run.workers());
    });
  });
}

KernelPtr compile_crop_and_resize(const NodeView& view, const KernelRow& row,
                                  const CompileContext&) {
  const auto op = read_op<CropAndResize>(view.node());
  if (accepts_float64(view)) return make_crop_and_resize<double>(row, op);
  KernelPtr kernel = make_crop_and_resize<float>(row, op);
  return accepts_fp16(view) ? make_fp16_kernel(std::move(kernel), row.isa) : std::move(kernel);
}

constexpr auto crop_and_resize_rows =
    portable_row("crop_and_resize", "CropAndResize", "float32, float64, float16", accepts_floats,
                 compile_crop_and_resize, contrib_domain);

}  // namespace

std::span<const KernelRow> crop_and_resize_kernels() {
  return crop_and_resize_rows;
}

}  // namespace ortool::cpu
