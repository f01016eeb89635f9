// Kernels for Min, Max, Sum and Mean: any number of tensors, combined two at a time.
#include "libcore/ops/math/variadic.hpp"

#include <algorithm>
#include <vector>

#include "kernels/cpu/data_movement/copy_strided.hpp"
#include "kernels/cpu/elementwise/binary.hpp"
#include "kernels/cpu/elementwise/cast.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

/// Combines the first two inputs, then each further one with the result so far, which has the
/// output's full shape so that every step may run in place.
struct VariadicPlan {
  std::vector<std::int64_t> counts;  ///< number of elements of each input
  /// Input 0 is first broadcast to the output, if the first two inputs do not cover it.
  bool spreads = false;
  std::vector<std::int64_t> spread_sizes;
  std::vector<std::int64_t> spread_strides;
  std::vector<BroadcastPlan> steps;  ///< one for each input from the second on
  BroadcastPlan mean;                ///< by a scalar
};

VariadicPlan plan_variadic(const PrepareContext& context) {
  VariadicPlan plan;
  const std::span<const std::int64_t> whole = context.outputs[0].shape.dimensions();
  for (const Operand& input : context.inputs) plan.counts.push_back(input.shape.element_count());
  const std::span<const std::int64_t> first = context.inputs[0].shape.dimensions();
  plan.steps.push_back(make_broadcast_plan(first, context.inputs[1].shape.dimensions()));
  const Shape& output = context.outputs[0].shape;
  const bool fills = std::equal(plan.steps[0].shape.begin(), plan.steps[0].shape.end(),
                                output.begin(), output.end());
  if (!fills) {
    plan.spreads = true;
    for (const BroadcastPlan::Loop& loop : make_broadcast_plan(first, whole).loops) {
      plan.spread_sizes.push_back(loop.size);
      plan.spread_strides.push_back(loop.strides[0]);
    }
    plan.steps[0] = make_broadcast_plan(whole, context.inputs[1].shape.dimensions());
  }
  for (std::size_t i = 2; i < context.inputs.size(); ++i)
    plan.steps.push_back(make_broadcast_plan(whole, context.inputs[i].shape.dimensions()));
  plan.mean = make_broadcast_plan(whole, {});
  return plan;
}

/// Parameters that do not change between runs.
struct VariadicCall {
  BinaryOp op;
  DataType type;  ///< type of the computation
  Isa isa;
  std::int64_t element_bytes;
};

/// Runs the steps into `out`; `operand(i)` returns input i's elements in the computation type.
template <typename Operand>
void combine_inputs(const VariadicCall& call, const VariadicPlan& plan, Operand operand,
                    std::byte* out, Workers& workers) {
  const std::byte* left = operand(0);
  if (plan.spreads) {
    copy_strided(left, out, plan.spread_sizes, plan.spread_strides, call.element_bytes, workers);
    left = out;
  }
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    binary(call.op, call.type, left, operand(i + 1), out, plan.steps[i], workers, call.isa);
    left = out;
  }
}

void divide_by_count(const VariadicCall& call, const VariadicPlan& plan, std::byte* out,
                     Workers& workers) {
  const auto count = static_cast<float>(plan.counts.size());
  const auto wide_count = static_cast<double>(plan.counts.size());
  const bool is_wide = call.type == DataType::float64;
  const void* divisor = is_wide ? static_cast<const void*>(&wide_count) : &count;
  binary(BinaryOp::divide, call.type, out, divisor, out, plan.mean, workers, call.isa);
}

PreparedPtr prepare_direct(const PrepareContext& context, VariadicCall call, bool is_mean) {
  VariadicPlan plan = plan_variadic(context);
  Preparation preparation;
  for (std::size_t i = 0; i < 2 && !plan.spreads; ++i) {
    if (context.inputs[i].shape == context.outputs[0].shape) preparation.overwritable.add(i);
  }
  return make_prepared(preparation, [=, plan = std::move(plan)](const RunContext& run) {
    auto* out = run.output<std::byte>(0);
    combine_inputs(
        call, plan, [&](std::size_t i) { return run.input<std::byte>(i); }, out, run.workers());
    if (is_mean) divide_by_count(call, plan, out, run.workers());
  });
}

/// Sums of 16-bit floats accumulate in float32; the sum and one input are in the workspace.
PreparedPtr prepare_fp16_sum(const PrepareContext& context, VariadicCall call, bool is_mean) {
  VariadicPlan plan = plan_variadic(context);
  const DataType half = call.type;
  call.type = DataType::float32;
  call.element_bytes = 4;
  const std::int64_t count = context.outputs[0].shape.element_count();
  const std::int64_t most = *std::max_element(plan.counts.begin() + 1, plan.counts.end());
  const std::int64_t first_bytes = (plan.counts[0] * 4 + 63) / 64 * 64;
  const std::int64_t sum_bytes = (count * 4 + 63) / 64 * 64;
  const Preparation preparation = {.workspace_bytes = sum_bytes + first_bytes + most * 4};
  return make_prepared(preparation, [=, plan = std::move(plan)](const RunContext& run) {
    std::byte* sum = run.workspace();
    const auto widen = [&](std::size_t i) {
      std::byte* wide = sum + sum_bytes + (i == 0 ? 0 : first_bytes);
      cast(half, run.input<std::byte>(i), DataType::float32, wide, plan.counts[i], run.workers());
      return static_cast<const std::byte*>(wide);
    };
    combine_inputs(call, plan, widen, sum, run.workers());
    if (is_mean) divide_by_count(call, plan, sum, run.workers());
    cast(DataType::float32, sum, half, run.output<std::byte>(0), count, run.workers());
  });
}

template <BinaryOp op, bool is_mean = false>
KernelPtr compile_variadic(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const DataType type = view.input_type(0);
  const VariadicCall call = {op, type, row.isa, element_bits(type) / 8};
  return make_kernel(row.name, [call](const PrepareContext& context) {
    if (context.inputs.size() == 1) return make_prepared({.view_of = 0}, [](const RunContext&) {});
    const bool is_fp16 = call.type == DataType::float16 || call.type == DataType::bfloat16;
    return is_fp16 && op == BinaryOp::add ? prepare_fp16_sum(context, call, is_mean)
                                          : prepare_direct(context, call, is_mean);
  });
}

constexpr auto variadic_rows = join_rows(
    isa_rows<"max">("Max", number_type_names, accepts_numbers, compile_variadic<BinaryOp::maximum>),
    isa_rows<"mean">("Mean", float_type_names, accepts_floats,
                     compile_variadic<BinaryOp::add, true>),
    isa_rows<"min">("Min", number_type_names, accepts_numbers, compile_variadic<BinaryOp::minimum>),
    isa_rows<"sum">("Sum", float_type_names, accepts_floats, compile_variadic<BinaryOp::add>));

}  // namespace

std::span<const KernelRow> variadic_kernels() {
  return variadic_rows;
}

}  // namespace ortool::cpu
