// Kernels for GridSample and AffineGrid.
#include "libcore/ops/nn/conv/grid_sample.hpp"

#include <array>
#include <limits>

#include "kernels/cpu/image/grid_sample.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/conv/affine_grid.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"

namespace ortool::cpu {
namespace {

bool accepts_grid_sample(const NodeView& view) {
  const DataType type = view.input_type(0);
  if (read_op<GridSample>(view.node()).mode == GridSample::Mode::nearest)
    return is_computable(type);
  return accepts_numbers(view);
}

GridSampleSizes grid_sample_sizes(const GridSample& op, const PrepareContext& context) {
  const Shape& x = context.inputs[0].shape;
  const Shape& y = context.outputs[0].shape;
  if (x.rank() - 2 > GridSampleSizes::max_axes) {
    throw Error(ErrorCode::unsupported,
                format("sampling along {} axes is not supported (at most {})", x.rank() - 2,
                       GridSampleSizes::max_axes));
  }
  if (x.product(2, x.rank()) > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorCode::unsupported, "images of more than 2^31 pixels are not supported");
  GridSampleSizes sizes;
  sizes.mode = op.mode == GridSample::Mode::linear    ? SampleMode::linear
               : op.mode == GridSample::Mode::nearest ? SampleMode::nearest
                                                      : SampleMode::cubic;
  sizes.padding = op.padding == GridSample::Padding::zeros    ? SamplePadding::zeros
                  : op.padding == GridSample::Padding::border ? SamplePadding::border
                                                              : SamplePadding::reflection;
  sizes.align_corners = op.align_corners;
  sizes.batch = x[0];
  sizes.channels = x[1];
  sizes.positions = y.product(2, y.rank());
  sizes.in.assign(x.begin() + 2, x.end());
  return sizes;
}

KernelPtr compile_grid_sample(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [op = read_op<GridSample>(view.node()),
                                isa = row.isa](const PrepareContext& context) {
    const DataType type = context.inputs[0].type;
    const DataType grid_type = context.inputs[1].type;
    return make_prepared(
        {}, [sizes = grid_sample_sizes(op, context), type, grid_type, isa](const RunContext& run) {
          grid_sample(sizes, type, run.input<std::byte>(0), grid_type, run.input<std::byte>(1),
                      run.output<std::byte>(0), isa, run.workers());
        });
  });
}

template <typename T>
KernelPtr make_affine_grid(const KernelRow& row, bool align_corners) {
  return make_kernel(row.name, [align_corners](const PrepareContext& context) {
    const Shape& grid = context.outputs[0].shape;
    const std::vector<std::int64_t> image(grid.begin() + 1, grid.end() - 1);
    return make_prepared({}, [=, batch = grid[0]](const RunContext& run) {
      affine_grid(batch, image, align_corners, run.input<T>(0), run.output<T>(0), run.workers());
    });
  });
}

KernelPtr compile_affine_grid(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const bool align_corners = read_op<AffineGrid>(view.node()).align_corners;
  if (view.input_type(0) == DataType::float64) return make_affine_grid<double>(row, align_corners);
  KernelPtr kernel = make_affine_grid<float>(row, align_corners);
  return accepts_fp16(view) ? make_fp16_kernel(std::move(kernel), row.isa) : std::move(kernel);
}

constexpr auto grid_sample_rows =
    join_rows(portable_row("affine_grid", "AffineGrid", float_type_names, accepts_floats,
                           compile_affine_grid),
              isa_rows<"grid_sample">("GridSample", number_type_names, accepts_grid_sample,
                                      compile_grid_sample));

}  // namespace

std::span<const KernelRow> grid_sample_kernels() {
  return grid_sample_rows;
}

}  // namespace ortool::cpu
