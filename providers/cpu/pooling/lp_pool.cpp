// Kernels for LpPool, GlobalLpPool and MaxUnpool.
#include "kernels/cpu/pooling/lp_pool.hpp"

#include <array>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/pooling/global_pool.hpp"
#include "libcore/ops/nn/pooling/max_unpool.hpp"
#include "libcore/ops/nn/pooling/pool.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/pooling/pool_sizes.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"

namespace ortool::cpu {
namespace {

template <typename T>
KernelPtr make_lp_pool(const KernelRow& row, const LpPool& op) {
  return make_kernel(row.name, [op](const PrepareContext& context) {
    return make_prepared({}, [sizes = pool_sizes(op.window, context.inputs[0].shape),
                              p = op.p](const RunContext& run) {
      lp_pool(sizes, p, run.input<T>(0), run.output<T>(0), run.workers());
    });
  });
}

template <typename T>
KernelPtr make_global_lp_pool(const KernelRow& row, const GlobalLpPool& op) {
  return make_kernel(row.name, [p = op.p](const PrepareContext& context) {
    const Shape& x = context.inputs[0].shape;
    const std::int64_t planes = x.product(0, 2);
    const std::int64_t pixels = x.product(2, x.rank());
    return make_prepared({}, [=](const RunContext& run) {
      global_lp_pool(planes, pixels, p, run.input<T>(0), run.output<T>(0), run.workers());
    });
  });
}

KernelPtr compile_lp_pool(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<LpPool>(view.node());
  if (view.input_type(0) == DataType::float64) return make_lp_pool<double>(row, op);
  KernelPtr kernel = make_lp_pool<float>(row, op);
  return accepts_fp16(view) ? make_fp16_kernel(std::move(kernel), row.isa) : std::move(kernel);
}

KernelPtr compile_global_lp_pool(const NodeView& view, const KernelRow& row,
                                 const CompileContext&) {
  const auto op = read_op<GlobalLpPool>(view.node());
  if (view.input_type(0) == DataType::float64) return make_global_lp_pool<double>(row, op);
  KernelPtr kernel = make_global_lp_pool<float>(row, op);
  return accepts_fp16(view) ? make_fp16_kernel(std::move(kernel), row.isa) : std::move(kernel);
}

KernelPtr compile_max_unpool(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_kernel(
      row.name, [op = read_op<MaxUnpool>(view.node())](const PrepareContext& context) {
        const Shape& x = context.inputs[0].shape;
        const Shape& y = context.outputs[0].shape;
        std::vector<std::int64_t> unpooled = {x[0], x[1]};
        for (const WindowAxis& axis :
             place_transposed_window(op.window, {}, x.dimensions().subspan(2), op.window.kernel)) {
          unpooled.push_back(axis.out);
        }
        static_cast<void>(Shape(unpooled).element_count());
        const std::vector<std::int64_t> out(y.begin(), y.end());
        return make_prepared(
            {}, [=, count = x.element_count(),
                 bytes = element_bits(context.inputs[0].type) / 8](const RunContext& run) {
              const bool is_good =
                  max_unpool(count, run.input<std::byte>(0), run.input<std::int64_t>(1), unpooled,
                             out, bytes, run.output<std::byte>(0), run.workers());
              if (is_good) return;
              throw Error(ErrorCode::invalid,
                          format("an index of 'I' lies outside {}", Shape(unpooled).to_string()));
            });
      });
}

constexpr auto lp_pool_rows = join_rows(
    portable_row("global_lp_pool", "GlobalLpPool", float_type_names, accepts_floats,
                 compile_global_lp_pool),
    portable_row("lp_pool", "LpPool", float_type_names, accepts_floats, compile_lp_pool),
    portable_row("max_unpool", "MaxUnpool", float_type_names, accepts_floats, compile_max_unpool));

}  // namespace

std::span<const KernelRow> lp_pool_kernels() {
  return lp_pool_rows;
}

}  // namespace ortool::cpu
