// Kernels for LinearAttention.
#include "libcore/ops/nn/attention/linear_attention.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "kernels/cpu/attention/linear_attention.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/attention/linear_attention.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"

namespace ortool::cpu {
namespace {

bool uses_decay(const LinearAttention& op) {
  return op.rule == LinearAttention::Rule::gated || op.rule == LinearAttention::Rule::gated_delta;
}
bool uses_beta(const LinearAttention& op) {
  return op.rule == LinearAttention::Rule::delta || op.rule == LinearAttention::Rule::gated_delta;
}

/// Checks an operand batch × length × width, where width is one of two values.
void check_operand(const PrepareContext& context, std::size_t index, std::string_view name,
                   const LinearAttentionSizes& sizes, std::int64_t width, std::int64_t other) {
  const Shape& shape = context.inputs[index].shape;
  if (shape[0] == sizes.batch && shape[1] == sizes.length &&
      (shape[2] == width || shape[2] == other)) {
    return;
  }
  throw Error(ErrorCode::invalid,
              format("'{}' is {} x {} x {} (expected {} x {} x {})", name, shape[0], shape[1],
                     shape[2], sizes.batch, sizes.length, width));
}

LinearAttentionSizes linear_sizes(const LinearAttention& op, const PrepareContext& context) {
  const Shape& query = context.inputs[0].shape;
  const Shape& value = context.inputs[2].shape;
  LinearAttentionSizes sizes;
  sizes.batch = query[0];
  sizes.length = query[1];
  sizes.query_heads = op.query_heads;
  sizes.shared_heads = op.shared_heads;
  sizes.key_size = query[2] / op.query_heads;
  sizes.value_size = value[2] / op.shared_heads;
  sizes.key_heads = op.key_heads(context.inputs[1].shape[2], sizes.key_size);
  const std::int64_t keys = sizes.key_heads * sizes.key_size;
  const std::int64_t rows = sizes.shared_heads * sizes.key_size;
  const std::int64_t values = sizes.shared_heads * sizes.value_size;
  check_operand(context, 0, "query", sizes, sizes.query_heads * sizes.key_size, query[2]);
  check_operand(context, 1, "key", sizes, keys, keys);
  check_operand(context, 2, "value", sizes, values, values);
  if (uses_decay(op)) check_operand(context, 4, "decay", sizes, sizes.shared_heads, rows);
  if (uses_beta(op)) check_operand(context, 5, "beta", sizes, sizes.shared_heads, 1);
  const Shape state = {sizes.batch, sizes.shared_heads, sizes.key_size, sizes.value_size};
  if (context.has_input(3) && context.inputs[3].shape != state) {
    throw Error(ErrorCode::invalid, "'past_state' does not have the shape of the heads' states");
  }
  return sizes;
}

PreparedPtr prepare_linear(const LinearAttention& op, const PrepareContext& context, Isa isa,
                           int max_threads) {
  const LinearAttentionSizes sizes = linear_sizes(op, context);
  LinearAttentionOperands fixed;
  fixed.scale = op.scale != 0
                    ? op.scale
                    : static_cast<float>(1 / std::sqrt(static_cast<double>(sizes.key_size)));
  if (uses_decay(op)) fixed.has_decay_rows = context.inputs[4].shape[2] != sizes.shared_heads;
  if (uses_beta(op)) fixed.has_beta_heads = context.inputs[5].shape[2] == sizes.shared_heads;
  const std::int64_t state_count =
      sizes.batch * sizes.shared_heads * sizes.key_size * sizes.value_size;
  const std::int64_t space = linear_attention_workspace_bytes(sizes, max_threads);
  return make_prepared({.workspace_bytes = space}, [=](const RunContext& run) {
    LinearAttentionOperands operands = fixed;
    operands.queries = run.input<float>(0);
    operands.keys = run.input<float>(1);
    operands.values = run.input<float>(2);
    if (uses_decay(op)) operands.decay = run.input<float>(4);
    if (uses_beta(op)) operands.beta = run.input<float>(5);
    operands.out = run.output<float>(0);
    operands.state = run.output<float>(1);
    const auto* past = run.input<float>(3);
    if (past == nullptr) {
      std::fill_n(operands.state, state_count, 0.0F);
    } else {
      std::copy_n(past, state_count, operands.state);
    }
    SizedWorkers workers(run.workers(), max_threads);
    linear_attention(sizes, operands, isa, run.workspace(), workers.get());
  });
}

template <typename Op>
KernelPtr compile_linear(const NodeView& view, const KernelRow& row,
                         const CompileContext& compile) {
  const LinearAttention op = read_op<Op>(view.node());
  return make_kernel(
      row.name, [op, isa = row.isa, threads = compile.max_threads](const PrepareContext& context) {
        return prepare_linear(op, context, isa, threads);
      });
}

template <typename Op>
KernelPtr compile_fp16_linear(const NodeView& view, const KernelRow& row,
                              const CompileContext& context) {
  return make_fp16_kernel(compile_linear<Op>(view, row, context), row.isa);
}

/// Other nodes are decomposed to these.
bool has_one_state(const NodeView& view) {
  return read_op<ContribLinearAttention>(view.node()).state_window == 0;
}
bool accepts_contrib_float32(const NodeView& view) {
  return accepts_all_float32(view) && has_one_state(view);
}
bool accepts_contrib_float_like(const NodeView& view) {
  return accepts_all_float_like(view) && has_one_state(view);
}

constexpr auto linear_attention_rows = join_rows(
    isa_rows<"linear_attention_f32">("LinearAttention", "float32", accepts_all_float32,
                                     compile_linear<LinearAttention>),
    isa_rows<"linear_attention_half">("LinearAttention", fp16_type_names, accepts_all_float_like,
                                      compile_fp16_linear<LinearAttention>),
    isa_rows<"contrib_linear_attention_f32">("LinearAttention", "float32", accepts_contrib_float32,
                                             compile_linear<ContribLinearAttention>,
                                             contrib_domain),
    isa_rows<"contrib_linear_attention_half">(
        "LinearAttention", fp16_type_names, accepts_contrib_float_like,
        compile_fp16_linear<ContribLinearAttention>, contrib_domain));

}  // namespace

std::span<const KernelRow> linear_attention_kernels() {
  return linear_attention_rows;
}

}  // namespace ortool::cpu
