// Attention with its masks and caches, and rotary position embedding.
#include "libcore/ops/nn/attention/attention.hpp"

#include <array>
#include <cmath>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/attention/group_query_attention.hpp"
#include "libcore/ops/contrib/attention/multi_head_attention.hpp"
#include "libcore/ops/contrib/attention/rotary_embedding.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/nn/attention/rotary_embedding.hpp"
#include "providers/cuda/operators/heads.hpp"
#include "providers/cuda/operators/operator_table.hpp"

namespace ortool::cuda {
namespace {

std::string refuses_qk(const Node& node) {
  return is_used(node, 3) ? "scores as a result run on the cpu" : "";
}

std::string refuses_attention(const Node& node) {
  if (type_of(node.input(0)) != type_of(node.input(2))) return "operands differ in type";
  if (type_of(node.input(0)) == DataType::float64) return "float64 runs on the cpu";
  const auto op = read_op<Attention>(node);
  if (op.softmax_precision && is_real(*op.softmax_precision) &&
      *op.softmax_precision != DataType::float32 && type_of(node.input(0)) == DataType::float32)
    return "a softmax of lower precision runs on the cpu";
  return refuses_qk(node);
}

/// Past and new rows as one tensor with a heads axis; the new ones alone if there is no cache.
HeadsTensor joined(DevicePlanBuilder& builder, const Node& node, const HeadsTensor& now,
                   std::int64_t past, std::int64_t present) {
  const DeviceTensor before = builder.input(node, past);
  const bool has_output = present < node.output_count() && node.output(present) != nullptr;
  if (!before.is_given() && !has_output) return now;
  const std::int64_t rows = before.is_given() ? before.shape[2] : 0;
  const Shape shape{now.batch, now.heads, rows + now.length, now.size};
  const DeviceTensor all =
      has_output ? builder.make_output(node, present) : builder.make(now.tensor.type, shape);
  const std::vector<std::int64_t> strides = strides_of(shape);
  if (rows > 0)
    emit_copy(builder, before, 0, before.shape, strides_of(before.shape), all, 0, strides);
  const Shape added{now.batch, now.heads, now.length, now.size};
  emit_copy(builder, now.tensor, now.offset, added,
            {now.strides[0], now.strides[1], now.strides[2], 1}, all, rows * now.size, strides);
  return split_heads(all);
}

std::size_t emit_attention(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const auto op = read_op<Attention>(node);
  const HeadsTensor query = heads_of(builder.input(node, 0), op.query_heads);
  const HeadsTensor key = heads_of(builder.input(node, 1), op.shared_heads);
  const HeadsTensor value = heads_of(builder.input(node, 2), op.shared_heads);
  AttentionCall call(builder, query, joined(builder, node, key, 4, 1),
                     joined(builder, node, value, 5, 2));
  AttentionParams& params = call.params;
  if (op.scale) params.scale = *op.scale;
  params.softcap = op.softcap;
  params.is_causal = op.is_causal ? 1 : 0;
  params.left_window = op.left_window;
  params.right_window = op.right_window;
  params.past = params.keys - key.length;
  call.set_mask(builder.input(node, 3));
  const DeviceTensor lengths = builder.input(node, 6);
  if (lengths.is_given()) {
    if (builder.has_input(node, 4))
      throw Error(ErrorCode::invalid, "'nonpad_kv_seqlen' and 'past_key' are both given");
    call.set_lengths(builder, node, lengths, 0);
  }
  call.launch(builder.make_output(node), builder.shape(node, 0).rank() == 3);
  return 0;
}

std::string refuses_multi_head(const Node& node) {
  const auto op = read_op<MultiHeadAttention>(node);
  if (op.rotated_size != 0) return "rotation within attention runs on the cpu";
  if (type_of(node.input(0)) == DataType::float64) return "float64 runs on the cpu";
  for (const std::int64_t input : {8, 9}) {
    if (input < node.input_count() && node.input(input) != nullptr)
      return "caches with room for more rows run on the cpu";
  }
  const Value* mask = node.input_count() > 4 ? node.input(4) : nullptr;
  if (mask != nullptr && rank_of(mask) != 2)
    return "masks of keys by length or by query run on the cpu";
  const Value* key = node.input_count() > 1 ? node.input(1) : nullptr;
  if (op.is_causal && (mask != nullptr || (key != nullptr && rank_of(key) == 4)))
    return "causal attention with masked keys runs on the cpu";
  return refuses_qk(node);
}

/// Part `part` of projections, with its bias.
HeadsTensor with_bias(DevicePlanBuilder& builder, const DeviceTensor& packed,
                      const DeviceTensor& bias, std::int64_t offset, std::int64_t heads) {
  if (!bias.is_given()) return heads_of(packed, heads);
  const std::int64_t width = packed.shape[2];
  const DeviceTensor own = {bias.type, Shape{width},
                            bias.memory.plus(offset * bytes_of(bias.type, 1))};
  const DeviceTensor sum = builder.make(packed.type, packed.shape);
  Chain chain(builder, packed, packed.shape);
  chain.apply(ElementOp::add, own);
  chain.store(sum);
  return heads_of(sum, heads);
}

std::size_t emit_multi_head(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const auto op = read_op<MultiHeadAttention>(node);
  const DeviceTensor packed = builder.input(node, 0);
  const DeviceTensor bias = builder.input(node, 3);
  const DeviceTensor other = builder.input(node, 1);
  HeadsTensor query;
  HeadsTensor key;
  HeadsTensor value;
  if (packed.shape.rank() == 5) {
    query = interleaved_heads(packed, 0);
    key = interleaved_heads(packed, 1);
    value = interleaved_heads(packed, 2);
  } else if (!other.is_given()) {
    const HeadsTensor all = with_bias(builder, packed, bias, 0, 3 * op.heads);
    query = part_of(all, 0, op.heads);
    key = part_of(all, op.heads, op.heads);
    value = part_of(all, 2 * op.heads, op.heads);
  } else {
    const std::int64_t width = packed.shape[2];
    query = with_bias(builder, packed, bias, 0, op.heads);
    if (other.shape.rank() == 5) {
      key = interleaved_heads(other, 0);
      value = interleaved_heads(other, 1);
    } else if (other.shape.rank() == 4) {
      key = split_heads(other);
      value = split_heads(builder.input(node, 2));
    } else {
      key = with_bias(builder, other, bias, width, op.heads);
      value = with_bias(builder, builder.input(node, 2), bias, 2 * width, op.heads);
    }
  }
  const std::int64_t length = key.length;
  AttentionCall call(builder, query, joined(builder, node, key, 6, 1),
                     joined(builder, node, value, 7, 2));
  AttentionParams& params = call.params;
  if (op.scale) params.scale = *op.scale;
  params.is_causal = op.is_causal ? 1 : 0;
  params.past = params.keys - length;
  if (builder.has_input(node, 4))
    call.set_key_mask(builder, builder.input(node, 4), op.mask_filter);
  call.set_mask(builder.input(node, 5));
  call.launch(builder.make_output(node), true);
  return 0;
}

std::string refuses_packed_bias(const Node& node) {
  const bool has_bias = node.input_count() > 3 && node.input(3) != nullptr;
  if (has_bias && rank_of(node.input(0)) == 5) return "a bias of interleaved heads runs on the cpu";
  const Value* key = node.input_count() > 1 ? node.input(1) : nullptr;
  if (has_bias && key != nullptr && rank_of(key) == 5)
    return "a bias of interleaved heads runs on the cpu";
  return refuses_multi_head(node);
}

using Gqa = GroupQueryAttention;

std::string refuses_group_query(const Node& node) {
  const auto op = read_op<Gqa>(node);
  if (op.key_scales != Gqa::Scales::none || op.value_scales != Gqa::Scales::none)
    return "quantized caches run on the cpu";
  if (op.drops_rows) return "caches of a fixed number of rows run on the cpu";
  const auto has = [&](std::int64_t input) {
    return input < node.input_count() && node.input(input) != nullptr;
  };
  if (has(Gqa::q_norm_weight) || has(Gqa::k_norm_weight)) return "norms of heads run on the cpu";
  if (op.rotates && type_of(node.input(0)) != type_of(node.input(Gqa::cos_cache)))
    return "operands differ in type";
  return refuses_qk(node);
}

/// What all caches and rotations of a node have in common.
struct GroupQuery {
  DevicePlanBuilder& builder;
  const Node& node;
  Gqa op;
  std::int64_t total;
  DeviceTensor lengths;
  bool is_prompt;

  HeadsTensor rotate(const HeadsTensor& heads) const {
    if (!op.rotates) return heads;
    const DeviceTensor cosines = builder.input(node, Gqa::cos_cache);
    RotaryCall call(builder, node, heads, cosines, builder.input(node, Gqa::sin_cache));
    RotaryParams& params = call.params;
    params.interleaved = op.is_interleaved ? 1 : 0;
    params.rotated = 2 * cosines.shape[1];
    params.cache_rows = cosines.shape[0];
    const DeviceTensor positions = builder.input(node, Gqa::position_ids);
    if (positions.is_given()) {
      params.positions = positions.pointer();
      params.has_one_position =
          is_prompt || positions.count() != heads.batch * heads.length ? 1 : 0;
    } else {
      params.lengths = lengths.pointer();
      params.starts_at_zero = is_prompt ? 1 : 0;
    }
    return call.launch();
  }

  HeadsTensor append(const HeadsTensor& now, std::int64_t input, std::int64_t output) const {
    const DeviceTensor past = builder.input(node, input);
    const std::int64_t past_rows = past.is_given() ? past.shape[2] : 0;
    const std::int64_t rows = std::max(total, past_rows);
    const bool has_output = output < node.output_count() && node.output(output) != nullptr;
    const DeviceTensor present =
        has_output ? builder.make_output(node, output)
                   : builder.make(now.tensor.type, Shape{now.batch, now.heads, rows, now.size});
    CacheParams params = {};
    params.past = past.pointer();
    params.now = now.pointer();
    params.lengths = lengths.pointer();
    params.present = present.pointer();
    params.status = static_cast<std::int32_t*>(builder.status());
    params.status_value = builder.status_of(node);
    params.bytes = static_cast<std::int32_t>(bytes_of(now.tensor.type, 1));
    params.starts_at_zero = is_prompt ? 1 : 0;
    params.batch = now.batch;
    params.heads = now.heads;
    params.size = now.size;
    params.rows = now.length;
    params.past_rows = past_rows;
    params.present_rows = rows;
    params.total = total;
    params.least_length = is_prompt ? 1 : now.length;
    std::copy_n(now.strides, 3, params.row_strides);
    if (present.count() > 0) {
      builder.launch_elements(
          KernelId::append_cache, present.count(), params,
          {&params.past, &params.now, &params.lengths, &params.present, &params.status});
    }
    return split_heads(present);
  }
};

std::size_t emit_group_query(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const auto op = read_op<Gqa>(node);
  const DeviceTensor packed = builder.input(node, Gqa::query);
  HeadsTensor query;
  HeadsTensor key;
  HeadsTensor value;
  if (builder.has_input(node, Gqa::key)) {
    query = heads_of(packed, op.query_heads);
    key = heads_of(builder.input(node, Gqa::key), op.shared_heads);
    value = heads_of(builder.input(node, Gqa::value), op.shared_heads);
  } else {
    const HeadsTensor all = heads_of(packed, op.query_heads + 2 * op.shared_heads);
    query = part_of(all, 0, op.query_heads);
    key = part_of(all, op.query_heads, op.shared_heads);
    value = part_of(all, op.query_heads + op.shared_heads, op.shared_heads);
  }
  const std::int64_t total = builder.integers(node, Gqa::total_sequence_length).front();
  if (total < query.length)
    throw Error(ErrorCode::invalid,
                format("'total_sequence_length' is {} (expected at least the {} new tokens)", total,
                       query.length));
  const GroupQuery group = {
      builder, node, op, total, builder.input(node, Gqa::seqlens_k), total == query.length};
  const HeadsTensor keys = group.append(group.rotate(key), Gqa::past_key, 1);
  const HeadsTensor values = group.append(value, Gqa::past_value, 2);
  AttentionCall call(builder, group.rotate(query), keys, values);
  AttentionParams& params = call.params;
  if (op.scale) params.scale = *op.scale;
  params.keys = total;
  params.softcap = op.softcap;
  params.is_causal = op.is_causal ? 1 : 0;
  params.is_smooth = op.is_smooth ? 1 : 0;
  params.left_window = op.window > 0 ? op.window - 1 : op.window;
  call.set_lengths(builder, node, group.lengths, 1);
  params.starts_at_zero = group.is_prompt ? 1 : 0;
  call.set_mask(builder.input(node, Gqa::attention_bias));
  const DeviceTensor sinks = builder.input(node, Gqa::head_sink);
  if (sinks.is_given()) {
    params.sinks = sinks.pointer();
    params.sink_type = sinks.element();
  }
  call.launch(builder.make_output(node), true);
  return 0;
}

std::size_t emit_rotary(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const auto op = read_op<RotaryEmbedding>(node);
  const DeviceTensor cosines = builder.input(node, 1);
  const HeadsTensor heads = heads_of(builder.input(node, 0), op.heads);
  RotaryCall call(builder, node, heads, cosines, builder.input(node, 2));
  RotaryParams& params = call.params;
  params.interleaved = op.interleaved ? 1 : 0;
  params.rotated = op.rotated_size == 0 ? heads.size : op.rotated_size;
  const DeviceTensor positions = builder.input(node, 3);
  const std::int64_t last = cosines.shape.rank() - 1;
  const bool fits = positions.is_given()
                        ? positions.shape == Shape{heads.batch, heads.length}
                        : (cosines.shape[0] == heads.batch || cosines.shape[0] == 1) &&
                              (cosines.shape[1] == heads.length || cosines.shape[1] == 1);
  if (!fits || cosines.shape != builder.shape(node, 2) || cosines.shape[last] != params.rotated / 2)
    throw Error(ErrorCode::invalid,
                "'cos_cache' and 'sin_cache' do not have the same shape that matches 'X' (expected "
                "half as many columns as rotated elements of a head, and one row per position)");
  if (positions.is_given()) {
    params.positions = positions.pointer();
    params.counts_from_end = 1;
    params.cache_rows = cosines.shape[0];
  } else {
    params.cache_rows = cosines.shape[0] * cosines.shape[1];
    params.length_rows = cosines.shape[1] == 1 ? 0 : 1;
    params.batch_rows = cosines.shape[0] == 1 ? 0 : cosines.shape[1];
  }
  call.launch_to(builder.make_output(node), heads.is_packed);
  return 0;
}

std::size_t emit_contrib_rotary(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const auto op = read_op<ContribRotaryEmbedding>(node);
  const DeviceTensor from = builder.input(node, 0);
  const DeviceTensor positions = builder.input(node, 1);
  const DeviceTensor cosines = builder.input(node, 2);
  const std::int64_t rotated = 2 * cosines.shape[1];
  const bool is_packed = from.shape.rank() == 3;
  const std::int64_t count = op.heads != 0 || rotated == 0 || !is_packed
                                 ? std::max<std::int64_t>(op.heads, 1)
                                 : from.shape[2] / rotated;
  const HeadsTensor heads = heads_of(from, count);
  if (rotated > heads.size || (op.rotated_size == 0 && rotated != heads.size / 2 * 2))
    throw Error(ErrorCode::invalid,
                format("'cos_cache' has {} columns, but heads have {} elements (expected half of "
                       "the rotated ones)",
                       cosines.shape[1], heads.size));
  if (positions.shape.rank() == 2 && positions.shape != Shape{heads.batch, heads.length})
    throw Error(ErrorCode::invalid,
                format("'position_ids' is for {} x {} tokens (expected {} x {})",
                       positions.shape[0], positions.shape[1], heads.batch, heads.length));
  RotaryCall call(builder, node, heads, cosines, builder.input(node, 3));
  RotaryParams& params = call.params;
  params.interleaved = op.interleaved ? 1 : 0;
  params.rotated = rotated;
  params.positions = positions.pointer();
  params.has_one_position = positions.shape.rank() == 1 ? 1 : 0;
  params.cache_rows = cosines.shape[0];
  call.launch_to(builder.make_output(node), heads.is_packed);
  return 0;
}

std::string refuses_rotary_types(const Node& node) {
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    if (node.input(i) == nullptr || !is_real(type_of(node.input(i)))) continue;
    if (type_of(node.input(i)) != type_of(node.input(0))) return "operands differ in type";
  }
  return {};
}

constexpr OperatorTypes floats = OperatorTypes::floats;
constexpr std::array<OperatorRow, 5> rows = {{
    {"", "Attention", floats, 0, refuses_attention, emit_attention},
    {contrib_domain, "MultiHeadAttention", floats, 0, refuses_packed_bias, emit_multi_head},
    {contrib_domain, "GroupQueryAttention", floats, 1U << Gqa::total_sequence_length,
     refuses_group_query, emit_group_query},
    {"", "RotaryEmbedding", floats, 0, refuses_rotary_types, emit_rotary},
    {contrib_domain, "RotaryEmbedding", floats, 0, refuses_rotary_types, emit_contrib_rotary},
}};

}  // namespace

std::span<const OperatorRow> attention_rows() {
  return rows;
}

}  // namespace ortool::cuda
