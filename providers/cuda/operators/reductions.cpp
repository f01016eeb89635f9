// Reductions: sums, extremes and their places.
#include <algorithm>
#include <array>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/reduction/arg_extreme.hpp"
#include "libcore/ops/reduction/reduce.hpp"
#include "providers/cuda/operators/operator_table.hpp"

namespace ortool::cuda {
namespace {

template <typename Op>
constexpr ReduceKind kind_of = ReduceKind::sum;
template <>
constexpr ReduceKind kind_of<ReduceMean> = ReduceKind::mean;
template <>
constexpr ReduceKind kind_of<ReduceMax> = ReduceKind::max;
template <>
constexpr ReduceKind kind_of<ReduceMin> = ReduceKind::min;
template <>
constexpr ReduceKind kind_of<ReduceProd> = ReduceKind::product;
template <>
constexpr ReduceKind kind_of<ReduceSumSquare> = ReduceKind::sum_square;
template <>
constexpr ReduceKind kind_of<ReduceL1> = ReduceKind::l1;
template <>
constexpr ReduceKind kind_of<ReduceL2> = ReduceKind::l2;
template <>
constexpr ReduceKind kind_of<ReduceLogSum> = ReduceKind::log_sum;
template <>
constexpr ReduceKind kind_of<ReduceLogSumExp> = ReduceKind::log_sum_exp;

/// Splits the axes of `shape` into reduced and kept ones.
void set_axes(const Shape& shape, const std::vector<std::int64_t>& axes, ReduceParams& params) {
  const std::vector<std::int64_t> strides = strides_of(shape);
  params.outputs = 1;
  params.reduced = 1;
  bool was_reduced = false;
  for (std::int64_t axis = 0; axis < shape.rank(); ++axis) {
    const bool is_reduced = std::find(axes.begin(), axes.end(), axis) != axes.end();
    LoopSizes& loops = is_reduced ? params.axes : params.kept;
    std::int64_t* own = is_reduced ? params.strides : params.kept_strides;
    (is_reduced ? params.reduced : params.outputs) *= shape[axis];
    const bool joins = loops.axes > 0 && axis > 0 && is_reduced == was_reduced;
    if (!joins) loops.size[loops.axes++] = 1;
    loops.size[loops.axes - 1] *= shape[axis];
    own[loops.axes - 1] = strides[static_cast<std::size_t>(axis)];
    was_reduced = is_reduced;
  }
}

KernelId reduce_kernel(DataType type, bool is_short) {
  if (!is_real(type)) return is_short ? KernelId::reduce_elements_i64 : KernelId::reduce_rows_i64;
  return is_short ? kernel_for(type, KernelId::reduce_elements_f32, KernelId::reduce_elements_f16,
                               KernelId::reduce_elements_any, KernelId::reduce_elements_f64)
                  : kernel_for(type, KernelId::reduce_rows_f32, KernelId::reduce_rows_f16,
                               KernelId::reduce_rows_any, KernelId::reduce_rows_f64);
}

template <typename Op>
std::size_t emit_reduce(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const Reduction op = read_op<Op>(node);
  const DeviceTensor from = builder.input(node, 0);
  std::vector<std::int64_t> given;
  if (op.axes.value) {
    given = *op.axes.value;
  } else if (builder.has_input(node, op.axes.input)) {
    given = builder.integers(node, op.axes.input);
  }
  const DeviceTensor to = builder.make_output(node);
  if (to.count() == 0) return 0;
  const std::vector<std::int64_t> axes = given.empty() && op.nothing_when_empty
                                             ? std::vector<std::int64_t>{}
                                             : op.reduced_axes(from.shape.rank(), given);
  ReduceParams params = {};
  params.input = from.pointer();
  params.output = to.pointer();
  params.input_type = from.element();
  params.output_type = to.element();
  params.kind = kind_of<Op>;
  set_axes(from.shape, axes, params);
  constexpr std::int64_t short_row = 32;
  if (params.kind == ReduceKind::log_sum_exp) {
    builder.launch_rows(KernelId::log_sum_exp, params.outputs, row_threads, params,
                        {&params.input, &params.output});
  } else if (params.reduced <= short_row) {
    builder.launch_elements(reduce_kernel(from.type, true), params.outputs, params,
                            {&params.input, &params.output});
  } else {
    builder.launch_rows(reduce_kernel(from.type, false), params.outputs, row_threads, params,
                        {&params.input, &params.output});
  }
  return 0;
}

/// Extremes of no integers are those of the type, which the cpu knows.
bool may_be_empty(const Value& value) {
  for (const Dimension& dimension : *value.type().shape) {
    if (!dimension.is_known() || dimension.number() == 0) return true;
  }
  return false;
}

template <typename Op>
std::string refuses_reduce(const Node& node) {
  constexpr ReduceKind kind = kind_of<Op>;
  if (is_real(type_of(node.input(0)))) return {};
  if (kind == ReduceKind::mean) return "of integers it runs on the cpu";
  const bool is_extreme = kind == ReduceKind::max || kind == ReduceKind::min;
  if (is_extreme && may_be_empty(*node.input(0)))
    return "extremes of integers that may be none run on the cpu";
  return {};
}

template <typename Op>
std::size_t emit_arg(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const ArgExtreme op = read_op<Op>(node);
  const DeviceTensor from = builder.input(node, 0);
  const DeviceTensor to = builder.make_output(node);
  if (to.count() == 0) return 0;
  ReduceParams params = {};
  params.input = from.pointer();
  params.output = to.pointer();
  params.input_type = from.element();
  params.output_type = to.element();
  params.kind = std::is_same_v<Op, ArgMax> ? ReduceKind::arg_max : ReduceKind::arg_min;
  params.takes_last = op.takes_last ? 1 : 0;
  set_axes(from.shape, {normalize_axis(op.axis, from.shape.rank())}, params);
  builder.launch_elements(
      is_real(from.type) ? KernelId::arg_extreme_real : KernelId::arg_extreme_i64, params.outputs,
      params, {&params.input, &params.output});
  return 0;
}

constexpr OperatorTypes reals = OperatorTypes::reals;
constexpr OperatorTypes numbers = OperatorTypes::numbers;
// clang-format off
constexpr std::array<OperatorRow, 12> rows = {{
    {"", "ReduceSum", numbers, 2, refuses_reduce<ReduceSum>, emit_reduce<ReduceSum>},
    {"", "ReduceMean", numbers, 2, refuses_reduce<ReduceMean>, emit_reduce<ReduceMean>},
    {"", "ReduceMax", numbers, 2, refuses_reduce<ReduceMax>, emit_reduce<ReduceMax>},
    {"", "ReduceMin", numbers, 2, refuses_reduce<ReduceMin>, emit_reduce<ReduceMin>},
    {"", "ReduceProd", numbers, 2, refuses_reduce<ReduceProd>, emit_reduce<ReduceProd>},
    {"", "ReduceSumSquare", numbers, 2, refuses_reduce<ReduceSumSquare>, emit_reduce<ReduceSumSquare>},
    {"", "ReduceL1", numbers, 2, refuses_reduce<ReduceL1>, emit_reduce<ReduceL1>},
    {"", "ReduceL2", reals, 2, refuses_reduce<ReduceL2>, emit_reduce<ReduceL2>},
    {"", "ReduceLogSum", reals, 2, refuses_reduce<ReduceLogSum>, emit_reduce<ReduceLogSum>},
    {"", "ReduceLogSumExp", reals, 2, refuses_reduce<ReduceLogSumExp>, emit_reduce<ReduceLogSumExp>},
    {"", "ArgMax", numbers, 0, nullptr, emit_arg<ArgMax>},
    {"", "ArgMin", numbers, 0, nullptr, emit_arg<ArgMin>},
}};
// clang-format on

}  // namespace

std::span<const OperatorRow> reduction_rows() {
  return rows;
}

}  // namespace ortool::cuda
