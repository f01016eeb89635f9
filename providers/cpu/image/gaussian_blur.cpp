// Kernel for ai.onnx.contrib.GaussianBlur.
#include "kernels/cpu/image/gaussian_blur.hpp"

#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/vision/gaussian_blur.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t most_window_points = 65535;

std::vector<float> window_of(std::int64_t length, double sigma, const char* axis) {
  if (length <= 0 && sigma > 0) length = gaussian_window_length(sigma);
  if (length >= 1 && length <= most_window_points && length % 2 == 1)
    return gaussian_window(length, sigma);
  throw Error(ErrorCode::invalid,
              format("the window's {} is {} (expected an odd number from 1 to {}, or 0 with a "
                     "deviation above 0)",
                     axis, length, most_window_points));
}

KernelPtr compile_gaussian_blur(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_dynamic_kernel(row.name, [](DynamicContext& context) {
    const Tensor& images = context.input(0);
    const Shape& shape = images.shape();
    const std::span<const std::int64_t> lengths = context.input(1).data<std::int64_t>();
    const std::span<const double> given = context.input(2).data<double>();
    const double deviations[2] = {given[0], given[1] > 0 ? given[1] : given[0]};
    const std::vector<float> rows = window_of(lengths[1], deviations[0], "width");
    const std::vector<float> columns = window_of(lengths[0], deviations[1], "height");
    Tensor between = context.make(DataType::float32, shape);
    Tensor out = context.make(DataType::float32, shape);
    if (images.element_count() > 0) {
      gaussian_blur({shape[0], shape[1], shape[2], shape[3]}, rows, columns,
                    images.data<float>().data(), between.mutable_data<float>().data(),
                    out.mutable_data<float>().data(), context.workers());
    }
    context.set_output(0, std::move(out));
  });
}

constexpr auto gaussian_blur_rows =
    portable_row("gaussian_blur", "GaussianBlur", "float32", accepts_anything,
                 compile_gaussian_blur, extensions_domain);

}  // namespace

std::span<const KernelRow> gaussian_blur_kernels() {
  return gaussian_blur_rows;
}

}  // namespace ortool::cpu
