// Kernels for InstanceNormalization, GroupNormalization, LpNormalization, LRN and
// MeanVarianceNormalization.
#include <algorithm>
#include <array>

#include "kernels/cpu/normalization/mean_variance_normalization.hpp"
#include "kernels/cpu/normalization/normalize.hpp"
#include "kernels/cpu/normalization/normalize_f64.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/normalization/group_normalization.hpp"
#include "libcore/ops/nn/normalization/instance_normalization.hpp"
#include "libcore/ops/nn/normalization/lp_normalization.hpp"
#include "libcore/ops/nn/normalization/lrn.hpp"
#include "libcore/ops/nn/normalization/mean_variance_normalization.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"

namespace ortool::cpu {
namespace {

ChannelSizes channel_sizes(const Shape& x) {
  if (x.rank() == 1) return {x[0], 1, 1};
  return {x[0], x[1], x.product(2, x.rank())};
}

KernelPtr compile_instance_normalization(const NodeView& view, const KernelRow& row,
                                         const CompileContext&) {
  const auto op = read_op<InstanceNormalization>(view.node());
  return make_kernel(row.name, [op, isa = row.isa](const PrepareContext& context) {
    const ChannelSizes sizes = channel_sizes(context.inputs[0].shape);
    return make_prepared({.overwritable = {0}}, [=](const RunContext& run) {
      instance_normalization(run.input<float>(0), run.output<float>(0), sizes, run.input<float>(1),
                             run.input<float>(2), op.epsilon, run.workers(), isa);
    });
  });
}

/// Expands one value per group to one per channel.
const float* spread(const float* groups, std::int64_t count, std::int64_t channels, float* out) {
  for (std::int64_t i = 0; i < channels; ++i) out[i] = groups[i / (channels / count)];
  return out;
}

KernelPtr compile_group_normalization(const NodeView& view, const KernelRow& row,
                                      const CompileContext&) {
  const auto op = read_op<GroupNormalization>(view.node());
  return make_kernel(row.name, [op, isa = row.isa](const PrepareContext& context) {
    const ChannelSizes sizes = channel_sizes(context.inputs[0].shape);
    const std::int64_t scale_bytes =
        op.scales_groups ? bytes_of(DataType::float32, 2 * sizes.channels) : 0;
    return make_prepared(
        {.workspace_bytes = scale_bytes, .overwritable = {0}}, [=](const RunContext& run) {
          const auto* scale = run.input<float>(1);
          const auto* bias = run.input<float>(2);
          if (op.scales_groups) {
            auto* space = run.workspace<float>();
            scale = spread(scale, op.groups, sizes.channels, space);
            bias = spread(bias, op.groups, sizes.channels, space + sizes.channels);
          }
          group_normalization(run.input<float>(0), run.output<float>(0), sizes, op.groups, scale,
                              bias, op.epsilon, run.workers(), isa);
        });
  });
}

/// Group normalization in float64; for instance normalization, groups have one channel.
KernelPtr make_double_groups(const KernelRow& row, std::int64_t groups, bool scales_groups,
                             float epsilon) {
  return make_kernel(row.name, [=](const PrepareContext& context) {
    const ChannelSizes sizes = channel_sizes(context.inputs[0].shape);
    return make_prepared({.overwritable = {0}}, [=](const RunContext& run) {
      normalize_groups(run.input<double>(0), run.output<double>(0), sizes,
                       groups == 0 ? sizes.channels : groups, run.input<double>(1),
                       run.input<double>(2), scales_groups, static_cast<double>(epsilon),
                       run.workers());
    });
  });
}

KernelPtr compile_double_group(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<GroupNormalization>(view.node());
  return make_double_groups(row, op.groups, op.scales_groups, op.epsilon);
}

KernelPtr compile_double_instance(const NodeView& view, const KernelRow& row,
                                  const CompileContext&) {
  return make_double_groups(row, 0, false, read_op<InstanceNormalization>(view.node()).epsilon);
}

template <typename T>
KernelPtr compile_lp_normalization(const NodeView& view, const KernelRow& row,
                                   const CompileContext&) {
  const auto op = read_op<LpNormalization>(view.node());
  return make_kernel(row.name, [op](const PrepareContext& context) {
    const Shape& x = context.inputs[0].shape;
    const std::int64_t axis = normalize_axis(op.axis, x.rank());
    const std::int64_t outer = x.product(0, axis);
    const std::int64_t inner = x.product(axis + 1, x.rank());
    return make_prepared({.overwritable = {0}}, [=, size = x[axis]](const RunContext& run) {
      lp_normalization(run.input<T>(0), run.output<T>(0), outer, size, inner,
                       static_cast<int>(op.p), run.workers());
    });
  });
}

KernelPtr compile_lrn(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<LRN>(view.node());
  return make_kernel(row.name, [op, isa = row.isa](const PrepareContext& context) {
    const ChannelSizes sizes = channel_sizes(context.inputs[0].shape);
    return make_prepared({}, [=](const RunContext& run) {
      local_response_normalization(run.input<float>(0), run.output<float>(0), sizes,
                                   {op.size, op.alpha, op.beta, op.bias}, run.workers(), isa);
    });
  });
}

KernelPtr compile_double_lrn(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<LRN>(view.node());
  return make_kernel(row.name, [op](const PrepareContext& context) {
    const ChannelSizes sizes = channel_sizes(context.inputs[0].shape);
    return make_prepared({}, [=](const RunContext& run) {
      local_response_normalization(run.input<double>(0), run.output<double>(0), sizes,
                                   {op.size, op.alpha, op.beta, op.bias}, run.workers());
    });
  });
}

/// Merges adjacent axes of the same kind.
MeanVarianceSizes mean_variance_sizes(const Shape& x, const std::vector<std::int64_t>& given) {
  const std::vector<std::int64_t> axes = normalize_axes(given, x.rank());
  MeanVarianceSizes sizes;
  std::vector<MeanVarianceSizes::Axis>* before = nullptr;
  for (std::int64_t axis = 0; axis < x.rank(); ++axis) {
    const bool is_reduced = std::find(axes.begin(), axes.end(), axis) != axes.end();
    auto& group = is_reduced ? sizes.reduced : sizes.kept;
    std::int64_t& total = is_reduced ? sizes.length : sizes.slices;
    const std::int64_t stride = x.product(axis + 1, x.rank());
    total = multiply_sizes(total, x[axis]);
    if (before == &group) {
      group.back() = {multiply_sizes(group.back().size, x[axis]), stride};
    } else {
      group.push_back({x[axis], stride});
    }
    before = &group;
  }
  return sizes;
}

template <typename T>
KernelPtr compile_mean_variance(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<MeanVarianceNormalization>(view.node());
  return make_kernel(row.name, [op](const PrepareContext& context) {
    MeanVarianceSizes sizes = mean_variance_sizes(context.inputs[0].shape, op.axes);
    sizes.has_variance = op.has_variance;
    return make_prepared({.overwritable = {0}}, [sizes](const RunContext& run) {
      mean_variance_normalization(run.input<T>(0), run.output<T>(0), sizes, run.workers());
    });
  });
}

template <KernelPtr (*compile)(const NodeView&, const KernelRow&, const CompileContext&)>
KernelPtr compile_fp16_normalization(const NodeView& view, const KernelRow& row,
                                     const CompileContext& context) {
  return make_fp16_kernel(compile(view, row, context), row.isa);
}

bool accepts_double(const NodeView& view) {
  return accepts_all_of(view, types_of({DataType::float64}));
}

using Compile = KernelPtr (*)(const NodeView&, const KernelRow&, const CompileContext&);

/// Rows for float32, and for mixtures of it and the 16-bit types.
template <Compile compile>
constexpr std::array<KernelRow, 6> normalization_rows(const char* op_type,
                                                      std::array<const char*, 6> names) {
  constexpr Isa isas[] = {Isa::avx512, Isa::avx2, Isa::baseline};
  std::array<KernelRow, 6> rows = {};
  for (std::size_t i = 0; i < 3; ++i) {
    rows[i] = {names[i], "", op_type, isas[i], "float32", accepts_all_float32, compile};
    rows[i + 3] = {names[i + 3],
                   "",
                   op_type,
                   isas[i],
                   fp16_type_names,
                   accepts_all_float_like,
                   compile_fp16_normalization<compile>};
  }
  return rows;
}

// clang-format off
constexpr auto normalization_kernel_rows = join_rows(
    normalization_rows<compile_instance_normalization>("InstanceNormalization", {"instance_normalization_avx512", "instance_normalization_avx2", "instance_normalization_baseline", "instance_normalization_half_avx512", "instance_normalization_half_avx2", "instance_normalization_half_baseline"}),
    normalization_rows<compile_group_normalization>("GroupNormalization", {"group_normalization_avx512", "group_normalization_avx2", "group_normalization_baseline", "group_normalization_half_avx512", "group_normalization_half_avx2", "group_normalization_half_baseline"}),
    normalization_rows<compile_lp_normalization<float>>("LpNormalization", {"lp_normalization_avx512", "lp_normalization_avx2", "lp_normalization_baseline", "lp_normalization_half_avx512", "lp_normalization_half_avx2", "lp_normalization_half_baseline"}),
    normalization_rows<compile_lrn>("LRN", {"lrn_avx512", "lrn_avx2", "lrn_baseline", "lrn_half_avx512", "lrn_half_avx2", "lrn_half_baseline"}),
    normalization_rows<compile_mean_variance<float>>("MeanVarianceNormalization", {"mean_variance_avx512", "mean_variance_avx2", "mean_variance_baseline", "mean_variance_half_avx512", "mean_variance_half_avx2", "mean_variance_half_baseline"}),
    portable_row("group_normalization_f64", "GroupNormalization", "float64", accepts_double, compile_double_group),
    portable_row("instance_normalization_f64", "InstanceNormalization", "float64", accepts_double, compile_double_instance),
    portable_row("lp_normalization_f64", "LpNormalization", "float64", accepts_double, compile_lp_normalization<double>),
    portable_row("lrn_f64", "LRN", "float64", accepts_double, compile_double_lrn),
    portable_row("mean_variance_f64", "MeanVarianceNormalization", "float64", accepts_double, compile_mean_variance<double>));
// clang-format on

}  // namespace

std::span<const KernelRow> normalization_kernels() {
  return normalization_kernel_rows;
}

}  // namespace ortool::cpu
