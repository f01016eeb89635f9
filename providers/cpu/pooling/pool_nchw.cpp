// Kernels for MaxPool, AveragePool and the global pools in NCHW.
#include <array>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/pooling/pool.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/pooling/pool_sizes.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"

namespace ortool::cpu {
namespace {

bool accepts_max_pool(const NodeView& view) {
  return types_of({DataType::float32, DataType::float64, DataType::int8, DataType::uint8})
      .contains(view.input_type(0));
}

bool accepts_mean_pool(const NodeView& view) {
  return types_of({DataType::float32, DataType::float64}).contains(view.input_type(0));
}

template <typename T>
KernelPtr make_max_pool(const KernelRow& row, const MaxPool& op) {
  return make_kernel(row.name, [op, isa = row.isa](const PrepareContext& context) {
    const PoolSizes sizes = pool_sizes(op.window, context.inputs[0].shape);
    return make_prepared({}, [=, is_column_major = op.column_major](const RunContext& run) {
      max_pool(sizes, run.input<T>(0), run.output<T>(0), run.output<std::int64_t>(1),
               is_column_major, isa, run.workers());
    });
  });
}

KernelPtr compile_max_pool(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<MaxPool>(view.node());
  switch (view.input_type(0)) {
    case DataType::float64:
      return make_max_pool<double>(row, op);
    case DataType::int8:
      return make_max_pool<std::int8_t>(row, op);
    case DataType::uint8:
      return make_max_pool<std::uint8_t>(row, op);
    default:
      return make_max_pool<float>(row, op);
  }
}

template <typename T>
KernelPtr make_average_pool(const KernelRow& row, const AveragePool& op) {
  return make_kernel(row.name, [op, isa = row.isa](const PrepareContext& context) {
    const PoolSizes sizes = pool_sizes(op.window, context.inputs[0].shape);
    return make_prepared({}, [=, counts_padding = op.count_pads](const RunContext& run) {
      average_pool(sizes, counts_padding, run.input<T>(0), run.output<T>(0), isa, run.workers());
    });
  });
}

KernelPtr compile_average_pool(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<AveragePool>(view.node());
  return view.input_type(0) == DataType::float64 ? make_average_pool<double>(row, op)
                                                 : make_average_pool<float>(row, op);
}

/// Calls `pool(planes, pixels, in, out, isa, workers)` for whole planes.
template <typename T, typename Pool>
KernelPtr make_global_pool(const KernelRow& row, Pool pool) {
  return make_kernel(row.name, [pool, isa = row.isa](const PrepareContext& context) {
    const Shape& x = context.inputs[0].shape;
    const std::int64_t planes = x.product(0, 2);
    const std::int64_t pixels = x.product(2, x.rank());
    return make_prepared({}, [=](const RunContext& run) {
      pool(planes, pixels, run.input<T>(0), run.output<T>(0), isa, run.workers());
    });
  });
}

KernelPtr compile_global_average(const NodeView& view, const KernelRow& row,
                                 const CompileContext&) {
  return view.input_type(0) == DataType::float64
             ? make_global_pool<double>(row, global_average_pool<double>)
             : make_global_pool<float>(row, global_average_pool<float>);
}

KernelPtr compile_global_max(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return view.input_type(0) == DataType::float64
             ? make_global_pool<double>(row, global_max_pool<double>)
             : make_global_pool<float>(row, global_max_pool<float>);
}

/// 16-bit floats: the default of each switch above is float32.
template <KernelPtr (*compile)(const NodeView&, const KernelRow&, const CompileContext&)>
KernelPtr compile_fp16_pool(const NodeView& view, const KernelRow& row,
                            const CompileContext& context) {
  return make_fp16_kernel(compile(view, row, context), row.isa);
}

constexpr const char* max_types = "float32, float64, int8, uint8";
constexpr const char* mean_types = "float32, float64";

// clang-format off
constexpr std::array<KernelRow, 24> pool_rows = {{
    {"max_pool_avx512", "", "MaxPool", Isa::avx512, max_types, accepts_max_pool, compile_max_pool},
    {"max_pool_avx2", "", "MaxPool", Isa::avx2, max_types, accepts_max_pool, compile_max_pool},
    {"max_pool_baseline", "", "MaxPool", Isa::baseline, max_types, accepts_max_pool, compile_max_pool},
    {"max_pool_half_avx512", "", "MaxPool", Isa::avx512, fp16_type_names, accepts_fp16, compile_fp16_pool<compile_max_pool>},
    {"max_pool_half_avx2", "", "MaxPool", Isa::avx2, fp16_type_names, accepts_fp16, compile_fp16_pool<compile_max_pool>},
    {"max_pool_half_baseline", "", "MaxPool", Isa::baseline, fp16_type_names, accepts_fp16, compile_fp16_pool<compile_max_pool>},
    {"average_pool_avx512", "", "AveragePool", Isa::avx512, mean_types, accepts_mean_pool, compile_average_pool},
    {"average_pool_avx2", "", "AveragePool", Isa::avx2, mean_types, accepts_mean_pool, compile_average_pool},
    {"average_pool_baseline", "", "AveragePool", Isa::baseline, mean_types, accepts_mean_pool, compile_average_pool},
    {"average_pool_half_avx512", "", "AveragePool", Isa::avx512, fp16_type_names, accepts_fp16, compile_fp16_pool<compile_average_pool>},
    {"average_pool_half_avx2", "", "AveragePool", Isa::avx2, fp16_type_names, accepts_fp16, compile_fp16_pool<compile_average_pool>},
    {"average_pool_half_baseline", "", "AveragePool", Isa::baseline, fp16_type_names, accepts_fp16, compile_fp16_pool<compile_average_pool>},
    {"global_average_pool_avx512", "", "GlobalAveragePool", Isa::avx512, mean_types, accepts_mean_pool, compile_global_average},
    {"global_average_pool_avx2", "", "GlobalAveragePool", Isa::avx2, mean_types, accepts_mean_pool, compile_global_average},
    {"global_average_pool_baseline", "", "GlobalAveragePool", Isa::baseline, mean_types, accepts_mean_pool, compile_global_average},
    {"global_average_pool_half_avx512", "", "GlobalAveragePool", Isa::avx512, fp16_type_names, accepts_fp16, compile_fp16_pool<compile_global_average>},
    {"global_average_pool_half_avx2", "", "GlobalAveragePool", Isa::avx2, fp16_type_names, accepts_fp16, compile_fp16_pool<compile_global_average>},
    {"global_average_pool_half_baseline", "", "GlobalAveragePool", Isa::baseline, fp16_type_names, accepts_fp16, compile_fp16_pool<compile_global_average>},
    {"global_max_pool_avx512", "", "GlobalMaxPool", Isa::avx512, mean_types, accepts_mean_pool, compile_global_max},
    {"global_max_pool_avx2", "", "GlobalMaxPool", Isa::avx2, mean_types, accepts_mean_pool, compile_global_max},
    {"global_max_pool_baseline", "", "GlobalMaxPool", Isa::baseline, mean_types, accepts_mean_pool, compile_global_max},
    {"global_max_pool_half_avx512", "", "GlobalMaxPool", Isa::avx512, fp16_type_names, accepts_fp16, compile_fp16_pool<compile_global_max>},
    {"global_max_pool_half_avx2", "", "GlobalMaxPool", Isa::avx2, fp16_type_names, accepts_fp16, compile_fp16_pool<compile_global_max>},
    {"global_max_pool_half_baseline", "", "GlobalMaxPool", Isa::baseline, fp16_type_names, accepts_fp16, compile_fp16_pool<compile_global_max>},
}};
// clang-format on

}  // namespace

std::span<const KernelRow> pool_nchw_kernels() {
  return pool_rows;
}

}  // namespace ortool::cpu
