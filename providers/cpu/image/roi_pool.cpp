// Kernels for RoiAlign and MaxRoiPool.
#include "kernels/cpu/image/roi_pool.hpp"

#include <array>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/pooling/roi_pool.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"

namespace ortool::cpu {
namespace {

template <typename Op>
RegionPoolSizes region_sizes(const Op& op, const PrepareContext& context) {
  const Shape& x = context.inputs[0].shape;
  return {.batch = x[0],
          .channels = x[1],
          .in = {x[2], x[3]},
          .out = {op.height, op.width},
          .regions = context.inputs[1].shape[0],
          .spatial_scale = op.spatial_scale};
}

template <typename Number>
void check_image(Number image, std::int64_t batch) {
  if (image >= Number{0} && image < static_cast<Number>(batch)) return;
  throw Error(ErrorCode::invalid,
              format("a region lies in image {} of a batch of {}", image, batch));
}

template <typename T>
KernelPtr make_roi_align(const KernelRow& row, const RoiAlign& op, int threads) {
  return make_kernel(row.name, [op, threads](const PrepareContext& context) {
    const RegionAlignment alignment = {.takes_maximum = op.mode == RoiAlign::Mode::maximum,
                                       .shifts_half_a_pixel = op.shifts_half_a_pixel,
                                       .sampling_ratio = op.sampling_ratio};
    const RegionPoolSizes sizes = region_sizes(op, context);
    const std::int64_t bytes = roi_align_workspace_bytes<T>(sizes, threads);
    return make_prepared({.workspace_bytes = bytes}, [=](const RunContext& run) {
      const auto* images = run.input<std::int64_t>(2);
      for (std::int64_t i = 0; i < sizes.regions; ++i) check_image(images[i], sizes.batch);
      SizedWorkers workers(run.workers(), threads);
      roi_align(sizes, alignment, run.input<T>(0), run.input<T>(1), images, run.output<T>(0),
                run.workspace(), threads, workers.get());
    });
  });
}

template <typename T>
KernelPtr make_max_roi_pool(const KernelRow& row, const MaxRoiPool& op) {
  return make_kernel(row.name, [op](const PrepareContext& context) {
    return make_prepared({}, [sizes = region_sizes(op, context)](const RunContext& run) {
      const T* regions = run.input<T>(1);
      for (std::int64_t i = 0; i < sizes.regions; ++i) check_image(regions[i * 5], sizes.batch);
      max_roi_pool(sizes, run.input<T>(0), regions, run.output<T>(0), run.workers());
    });
  });
}

KernelPtr compile_roi_align(const NodeView& view, const KernelRow& row,
                            const CompileContext& context) {
  const auto op = read_op<RoiAlign>(view.node());
  if (view.input_type(0) == DataType::float64)
    return make_roi_align<double>(row, op, context.max_threads);
  KernelPtr kernel = make_roi_align<float>(row, op, context.max_threads);
  return accepts_fp16(view) ? make_fp16_kernel(std::move(kernel), row.isa) : std::move(kernel);
}

KernelPtr compile_max_roi_pool(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<MaxRoiPool>(view.node());
  if (view.input_type(0) == DataType::float64) return make_max_roi_pool<double>(row, op);
  KernelPtr kernel = make_max_roi_pool<float>(row, op);
  return accepts_fp16(view) ? make_fp16_kernel(std::move(kernel), row.isa) : std::move(kernel);
}

constexpr auto region_pool_rows = join_rows(
    portable_row("max_roi_pool", "MaxRoiPool", float_type_names, accepts_floats,
                 compile_max_roi_pool),
    portable_row("roi_align", "RoiAlign", float_type_names, accepts_floats, compile_roi_align));

}  // namespace

std::span<const KernelRow> roi_pool_kernels() {
  return region_pool_rows;
}

}  // namespace ortool::cpu
