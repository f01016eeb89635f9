// Kernel for com.microsoft.MaxpoolWithMask.
#include "kernels/cpu/pooling/masked_max_pool.hpp"

#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/legacy/window_functions.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

MaskedWindow masked_window(const MaxpoolWithMask& op, const Shape& x, const Shape& mask) {
  const std::vector<WindowAxis> axes =
      place_window(op.window, x.dimensions().subspan(2), op.window.kernel, WindowFit::beyond);
  MaskedWindow window = {.planes = x[0] * x[1], .mask_planes = mask[0] * mask[1]};
  window.masks_first_pixel = axes.size() == 1;
  const std::size_t first = 3 - axes.size();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    window.in[first + i] = axes[i].in;
    window.out[first + i] = axes[i].out;
    window.kernel[first + i] = axes[i].kernel;
    window.stride[first + i] = axes[i].stride;
    window.pad[first + i] = axes[i].pad_begin;
  }
  return window;
}

KernelPtr compile_masked_max_pool(const NodeView& view, const KernelRow& row,
                                  const CompileContext&) {
  const auto op = read_op<MaxpoolWithMask>(view.node());
  return make_kernel(row.name, [op](const PrepareContext& context) {
    const Shape& x = context.inputs[0].shape;
    const Shape& mask = context.inputs[1].shape;
    if (x.rank() > 5)
      throw Error(ErrorCode::unsupported, format("a masked pool of {} window axes is not supported "
                                                 "(expected at most 3)",
                                                 x.rank() - 2));
    if (x[0] * x[1] > 0 && mask[0] * mask[1] == 0)
      throw Error(ErrorCode::invalid, "the mask has no planes (expected at least one)");
    return make_prepared({}, [window = masked_window(op, x, mask)](const RunContext& run) {
      masked_max_pool(window, run.input<float>(0), run.input<std::int32_t>(1), run.output<float>(0),
                      run.workers());
    });
  });
}

constexpr auto masked_max_pool_rows =
    portable_row("masked_max_pool", "MaxpoolWithMask", "float32", accepts_anything,
                 compile_masked_max_pool, contrib_domain);

}  // namespace

std::span<const KernelRow> masked_max_pool_kernels() {
  return masked_max_pool_rows;
}

}  // namespace ortool::cpu
