// Kernels for pooling in NCHWc, and for ReduceMean over all pixels.
#include "kernels/cpu/pooling/pool_nchwc.hpp"

#include <array>

#include "kernels/cpu/conv/f32_nchwc/conv.hpp"
#include "kernels/cpu/pooling/pool_int8_nchwc.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/pooling/pool.hpp"
#include "libcore/ops/reduction/reduce.hpp"
#include "libcore/tensor/convert.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/pooling/pool_sizes.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"

namespace ortool::cpu {
namespace {

NchwcPoolSizes nchwc_pool_sizes(const WindowAttributes& window, const Shape& x, Isa isa) {
  NchwcPoolSizes sizes;
  sizes.window = pool_sizes(window, x);
  sizes.batch = x[0];
  sizes.channels = x[1];
  const std::int64_t block = block_of(blocked_layout(isa));
  sizes.window.planes = x[0] * ((x[1] + block - 1) / block);
  return sizes;
}

KernelPtr compile_max_pool_nchwc(const NodeView& view, const KernelRow& row,
                                 const CompileContext&) {
  const auto op = read_op<MaxPool>(view.node());
  return make_kernel(row.name, [op, isa = row.isa](const PrepareContext& context) {
    const auto sizes = nchwc_pool_sizes(op.window, context.inputs[0].shape, isa);
    return make_prepared({}, [=](const RunContext& run) {
      max_pool_nchwc(sizes, run.input<float>(0), run.output<float>(0), isa, run.workers());
    });
  });
}

KernelPtr compile_max_pool_int8_nchwc(const NodeView& view, const KernelRow& row,
                                      const CompileContext&) {
  const auto op = read_op<MaxPool>(view.node());
  const std::uint8_t flip = view.input_type(0) == DataType::int8 ? 128 : 0;
  return make_kernel(row.name, [op, flip](const PrepareContext& context) {
    const auto sizes = nchwc_pool_sizes(op.window, context.inputs[0].shape, Isa::avx512);
    return make_prepared({}, [=](const RunContext& run) {
      max_pool_int8_nchwc(sizes, flip, run.input<std::uint8_t>(0), run.output<std::uint8_t>(0),
                          run.workers());
    });
  });
}

KernelPtr compile_average_pool_nchwc(const NodeView& view, const KernelRow& row,
                                     const CompileContext&) {
  const auto op = read_op<AveragePool>(view.node());
  return make_kernel(row.name, [op, isa = row.isa](const PrepareContext& context) {
    const auto sizes = nchwc_pool_sizes(op.window, context.inputs[0].shape, isa);
    return make_prepared({}, [=, counts_padding = op.count_pads](const RunContext& run) {
      average_pool_nchwc(sizes, counts_padding, run.input<float>(0), run.output<float>(0), isa,
                         run.workers());
    });
  });
}

KernelPtr compile_global_average_nchwc(const NodeView&, const KernelRow& row,
                                       const CompileContext&) {
  return make_kernel(row.name, [isa = row.isa](const PrepareContext& context) {
    const Shape& x = context.inputs[0].shape;
    const std::int64_t pixels = x.product(2, x.rank());
    return make_prepared({}, [=, batch = x[0], channels = x[1]](const RunContext& run) {
      global_average_pool_nchwc(batch, channels, pixels, run.input<float>(0), run.output<float>(0),
                                isa, run.workers());
    });
  });
}

bool accepts_int8_pool(const NodeView& view) {
  return view.input_type(0) == DataType::uint8 || view.input_type(0) == DataType::int8;
}

/// A mean over all axes after the channels, which are constants.
bool accepts_pixel_mean(const NodeView& view) {
  const std::int64_t rank = view.input_rank(0);
  if (!accepts_float32(view) || rank < 3) return false;
  const auto op = read_op<ReduceMean>(view.node());
  std::vector<std::int64_t> given = op.axes.value.value_or(std::vector<std::int64_t>());
  if (!op.axes.is_known() && op.axes.input >= 0) {
    const Tensor* constant = view.constant(op.axes.input);
    if (constant == nullptr) return false;
    for (std::int64_t i = 0; i < constant->element_count(); ++i)
      given.push_back(element_as_int64(*constant, i));
  }
  const std::vector<std::int64_t> axes = op.reduced_axes(rank, given);
  return static_cast<std::int64_t>(axes.size()) == rank - 2 && axes.front() == 2;
}

/// Images with one or two spatial axes and a known number of channels.
bool is_flat_image(const NodeView& view) {
  const std::int64_t rank = view.input_rank(0);
  return (rank == 3 || rank == 4) && (*view.node().input(0)->type().shape)[1].is_known() &&
         !view.node().input(0)->is_constant();
}

/// NCHWc pools are faster if blocks are mostly full.
std::vector<LayoutChoice> pool_layouts(const NodeView& view, Layout in, Layout out) {
  constexpr double plain_ns = 0.5;
  constexpr double blocked_ns = 1.5;
  const PartialShape& shape = view.node().input(0)->type().shape;
  double pixels = 1;
  for (std::size_t axis = 2; axis < shape->size(); ++axis)
    pixels *= (*shape)[axis].is_known() ? static_cast<double>((*shape)[axis].number()) : 32.0;
  const std::int64_t channels = (*shape)[1].number();
  const std::int64_t block = block_of(in);
  std::vector<LayoutChoice> choices(2);
  choices[0].nanoseconds = plain_ns * pixels * static_cast<double>(channels);
  choices[1].inputs = {in};
  choices[1].outputs = {out};
  choices[1].nanoseconds =
      blocked_ns * pixels * static_cast<double>((channels + block - 1) / block);
  return choices;
}

std::vector<LayoutChoice> window_pool_layouts(const NodeView& view, const KernelRow& row) {
  if (!is_flat_image(view) || view.node().output(1) != nullptr) return {};
  const Layout blocked = blocked_layout(row.isa);
  return pool_layouts(view, blocked, blocked);
}

std::vector<LayoutChoice> int8_pool_layouts(const NodeView& view, const KernelRow&) {
  if (!is_flat_image(view) || view.node().output(1) != nullptr) return {};
  return pool_layouts(view, Layout::blocked16, Layout::blocked16);
}

/// Global means have the same layout in NCHW and NCHWc, so the result is NCHW.
std::vector<LayoutChoice> global_pool_layouts(const NodeView& view, const KernelRow& row) {
  if (!is_flat_image(view)) return {};
  return pool_layouts(view, blocked_layout(row.isa), Layout::plain);
}

// clang-format off
constexpr std::array<KernelRow, 9> blocked_pool_rows = {{
    {"max_pool_nchwc_avx512", "", "MaxPool", Isa::avx512, "float32", accepts_float32, compile_max_pool_nchwc, nullptr, window_pool_layouts},
    {"max_pool_int8_nchwc", "", "MaxPool", Isa::avx2, "int8, uint8", accepts_int8_pool, compile_max_pool_int8_nchwc, nullptr, int8_pool_layouts},
    {"max_pool_nchwc_avx2", "", "MaxPool", Isa::avx2, "float32", accepts_float32, compile_max_pool_nchwc, nullptr, window_pool_layouts},
    {"average_pool_nchwc_avx512", "", "AveragePool", Isa::avx512, "float32", accepts_float32, compile_average_pool_nchwc, nullptr, window_pool_layouts},
    {"average_pool_nchwc_avx2", "", "AveragePool", Isa::avx2, "float32", accepts_float32, compile_average_pool_nchwc, nullptr, window_pool_layouts},
    {"global_average_pool_nchwc_avx512", "", "GlobalAveragePool", Isa::avx512, "float32", accepts_float32, compile_global_average_nchwc, nullptr, global_pool_layouts},
    {"global_average_pool_nchwc_avx2", "", "GlobalAveragePool", Isa::avx2, "float32", accepts_float32, compile_global_average_nchwc, nullptr, global_pool_layouts},
    {"reduce_mean_nchwc_avx512", "", "ReduceMean", Isa::avx512, "float32", accepts_pixel_mean, compile_global_average_nchwc, nullptr, global_pool_layouts},
    {"reduce_mean_nchwc_avx2", "", "ReduceMean", Isa::avx2, "float32", accepts_pixel_mean, compile_global_average_nchwc, nullptr, global_pool_layouts},
}};
// clang-format on

}  // namespace

std::span<const KernelRow> pool_nchwc_kernels() {
  return blocked_pool_rows;
}

}  // namespace ortool::cpu
