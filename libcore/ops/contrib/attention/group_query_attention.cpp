// Schema of ONNX Runtime's GroupQueryAttention, and the shapes of its caches.
#include "libcore/ops/contrib/attention/group_query_attention.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/nn/attention/attention_heads.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

/// The elements of a head in a cache's row; two 4-bit elements are one.
Dimension stored_size(const Dimension& size, DataType type) {
  return type == DataType::uint8 ? ceil_divide(size, 2) : size;
}

void check_together(const InferContext& context, std::int64_t a, std::int64_t b,
                    std::string_view names) {
  if (context.has_input(a) == context.has_input(b)) return;
  throw Error(ErrorCode::invalid, format("{} are not given together", names));
}

}  // namespace

constinit const OpSchema GroupQueryAttention::schema = {
    "GroupQueryAttention",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"query", "T"},
                 {"key", "T", Formal::Count::optional},
                 {"value", "T", Formal::Count::optional},
                 {"past_key", "T_CACHE", Formal::Count::optional},
                 {"past_value", "T_CACHE", Formal::Count::optional},
                 {"seqlens_k", "M"},
                 {"total_sequence_length", "M"},
                 {"cos_cache", "T", Formal::Count::optional},
                 {"sin_cache", "T", Formal::Count::optional},
                 {"position_ids", "tensor(int64)", Formal::Count::optional},
                 {"attention_bias", "T", Formal::Count::optional},
                 {"head_sink", "T", Formal::Count::optional},
                 {"k_scale", "T_KV_SCALE", Formal::Count::optional},
                 {"v_scale", "T_KV_SCALE", Formal::Count::optional},
                 {"q_norm_weight", "T", Formal::Count::optional},
                 {"k_norm_weight", "T", Formal::Count::optional}},
      .outputs = {{"output", "T"},
                  {"present_key", "T_CACHE", Formal::Count::optional},
                  {"present_value", "T_CACHE", Formal::Count::optional},
                  {"output_qk", "T", Formal::Count::optional}},
      .attributes = {{"causal", AttributeKind::integer, false, 1},
                     {"do_rotary", AttributeKind::integer, false, 0},
                     {"k_quant_type", AttributeKind::string, false, "NONE"},
                     {"kv_cache_bit_width", AttributeKind::integer, false, 0},
                     {"kv_num_heads", AttributeKind::integer, true},
                     {"local_window_size", AttributeKind::integer, false, -1},
                     {"num_heads", AttributeKind::integer, true},
                     {"qk_norm_epsilon", AttributeKind::float_number, false, 1e-6F},
                     {"qk_output", AttributeKind::integer, false, 0},
                     {"rotary_interleaved", AttributeKind::integer, false, 0},
                     {"scale", AttributeKind::float_number},
                     {"sliding_window_cache", AttributeKind::integer, false, 0},
                     {"smooth_softmax", AttributeKind::integer, false, -1},
                     {"softcap", AttributeKind::float_number, false, 0.0F},
                     {"v_quant_type", AttributeKind::string, false, "NONE"}},
      .types = {{"T", types::scales},
                {"T_CACHE", types::scales | types::bytes | types_of({DataType::float8e4m3fn})},
                {"T_KV_SCALE", types::float32_only},
                {"M", types::int32_only}}}}};

void GroupQueryAttention::read(AttributeReader& attributes, int) {
  query_heads = read_heads(attributes, "num_heads");
  shared_heads = read_heads(attributes, "kv_num_heads");
  check_head_groups(query_heads, shared_heads);
  scale = attributes.find_number("scale");
  if (scale == 0.0F) scale.reset();
  softcap = attributes.number("softcap", 0);
  is_causal = attributes.flag("causal", true);
  is_smooth = attributes.integer_in("smooth_softmax", -1, -1, 1) == 1;
  window = attributes.integer_in("local_window_size", -1, -1, std::int64_t{1} << 43);
  rotates = attributes.flag("do_rotary");
  is_interleaved = attributes.flag("rotary_interleaved");
  const auto scales = {std::string_view("NONE"), std::string_view("PER_TENSOR"),
                       std::string_view("PER_CHANNEL")};
  key_scales = attributes.choice("k_quant_type", scales, Scales::none);
  value_scales = attributes.choice("v_quant_type", scales, Scales::none);
  bits = attributes.integer_in("kv_cache_bit_width", 0, 0, 8);
  scores = static_cast<Scores>(attributes.integer_in("qk_output", 0, 0, 2));
  epsilon = attributes.number("qk_norm_epsilon", 1e-6F);
  if ((key_scales != Scales::none || value_scales != Scales::none) && bits != 4 && bits != 8) {
    throw Error(ErrorCode::invalid,
                format("attribute 'kv_cache_bit_width' is {} (expected 4 or 8 for a quantized "
                       "cache)",
                       bits));
  }
  if (!is_causal && window >= 0) {
    throw Error(ErrorCode::invalid,
                "attribute 'local_window_size' is given, but 'causal' is 0 (expected no window "
                "without causality)");
  }
  drops_rows = attributes.flag("sliding_window_cache");
  if (drops_rows && window < 1) {
    throw Error(ErrorCode::invalid,
                format("attribute 'local_window_size' is {} (expected at least 1, since "
                       "'sliding_window_cache' is 1)",
                       window));
  }
}

DataType GroupQueryAttention::cache_type(const InferContext& context, std::int64_t input,
                                         Scales scales) const {
  if (scales == Scales::none) return context.element(query);
  const DataType expected = bits == 4 ? DataType::uint8 : DataType::int8;
  const DataType found = context.element(input);
  if (found == expected || !context.has_input(input)) return expected;
  throw Error(ErrorCode::invalid, format("a cache of {}-bit elements is of type {} (expected {})",
                                         bits, name_of(found), name_of(expected)));
}

void GroupQueryAttention::check_window_cache(const InferContext& context) const {
  if (!context.has_input(past_key)) {
    throw Error(ErrorCode::invalid,
                "'past_key' and 'past_value' are left out, but 'sliding_window_cache' is 1");
  }
  if (context.has_output(3)) {
    throw Error(ErrorCode::unsupported,
                "'output_qk' is wanted, but 'sliding_window_cache' is 1 (expected a cache of all "
                "positions for scores)");
  }
  for (const std::int64_t past : {std::int64_t{past_key}, std::int64_t{past_value}}) {
    const Dimension rows = dimension_at(context, past, 2);
    if (!rows.is_known() || rows.number() >= window) continue;
    throw Error(ErrorCode::invalid,
                format("a cache has {} rows, but 'local_window_size' is {} and "
                       "'sliding_window_cache' is 1 (expected at least the rows of the window)",
                       rows.number(), window));
  }
}

void GroupQueryAttention::infer(InferContext& context) const {
  check_together(context, key, value, "'key' and 'value'");
  check_together(context, past_key, past_value, "'past_key' and 'past_value'");
  check_together(context, cos_cache, sin_cache, "'cos_cache' and 'sin_cache'");
  check_together(context, q_norm_weight, k_norm_weight, "'q_norm_weight' and 'k_norm_weight'");
  if (rotates && !context.has_input(cos_cache)) {
    throw Error(ErrorCode::invalid,
                "'cos_cache' and 'sin_cache' are left out, but 'do_rotary' is 1");
  }
  if (scores == Scores::none && context.has_output(3)) {
    throw Error(ErrorCode::invalid,
                "'output_qk' is wanted, but attribute 'qk_output' is 0 (expected 1 or 2)");
  }
  if (drops_rows) check_window_cache(context);
  check_rank(context, query, "query", 3);
  check_rank(context, key, "key", 3);
  check_rank(context, value, "value", 3);
  check_rank(context, past_key, "past_key", 4);
  check_rank(context, past_value, "past_value", 4);
  const Dimension batch = dimension_at(context, query, 0);
  const Dimension length = dimension_at(context, query, 1);
  const bool is_packed = !context.has_input(key);
  const std::int64_t packed_heads = query_heads + (is_packed ? 2 * shared_heads : 0);
  const Dimension size =
      head_size("the width of 'query'", dimension_at(context, query, 2), packed_heads);
  const Dimension value_size =
      is_packed ? size
                : head_size("the width of 'value'", dimension_at(context, value, 2), shared_heads);
  if (!is_packed) {
    check_dimension("the size of a key",
                    head_size("the width of 'key'", dimension_at(context, key, 2), shared_heads),
                    size);
    check_dimension("the length of 'key'", dimension_at(context, key, 1), length);
    check_dimension("the length of 'value'", dimension_at(context, value, 1), length);
  }
  check_vector(context, seqlens_k, "seqlens_k", batch);
  const std::optional<Dimensions> given = context.input_dimensions(total_sequence_length);
  Dimension total = given && given->size() == 1 ? given->front() : context.unknown_dimension();
  if (total.is_known()) check_size("'total_sequence_length'", total.number());
  const bool has_past = context.has_input(past_key);
  const auto present = [&](std::int64_t past, Scales scales, const Dimension& elements) {
    const DataType type = cache_type(context, past, scales);
    const Dimension past_rows = has_past ? dimension_at(context, past, 2) : Dimension(0);
    const Dimension rows = drops_rows ? past_rows : has_past ? max(past_rows, total) : total;
    check_dimension("the batch of a cache", dimension_at(context, past, 0), batch);
    check_dimension("the number of heads in a cache", dimension_at(context, past, 1),
                    Dimension(shared_heads));
    const Dimension stored = stored_size(elements, type);
    check_dimension("the width of a cache", dimension_at(context, past, 3), stored);
    context.set_output(past == past_key ? 1 : 2, type,
                       Dimensions{batch, Dimension(shared_heads), rows, stored});
  };
  context.set_output(
      0, context.element(query),
      Dimensions{batch, length, multiply_dimensions(value_size, Dimension(query_heads))});
  present(past_key, key_scales, size);
  present(past_value, value_scales, value_size);
  context.set_output(3, context.element(query),
                     Dimensions{batch, Dimension(query_heads), length, total});
}

}  // namespace ortool
