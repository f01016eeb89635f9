// Versions of Attention; 24 added an external cache, 25 sliding windows.
#include "libcore/ops/nn/attention/attention.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/ops/element_type.hpp"
#include "libcore/ops/nn/attention/attention_heads.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constexpr std::initializer_list<Formal> attention_outputs = {
    {"Y", "T1"},
    {"present_key", "T1", Formal::Count::optional},
    {"present_value", "T2", Formal::Count::optional},
    {"qk_matmul_output", "T1", Formal::Count::optional}};

constexpr std::initializer_list<AttributeSpec> attention_attributes = {
    {"is_causal", AttributeKind::integer, false, 0},
    {"kv_num_heads", AttributeKind::integer},
    {"q_num_heads", AttributeKind::integer},
    {"qk_matmul_output_mode", AttributeKind::integer, false, 0},
    {"scale", AttributeKind::float_number},
    {"softcap", AttributeKind::float_number, false, 0.0F},
    {"softmax_precision", AttributeKind::integer}};

constexpr std::initializer_list<Formal> attention_inputs = {
    {"Q", "T1"},
    {"K", "T1"},
    {"V", "T2"},
    {"attn_mask", "U", Formal::Count::optional},
    {"past_key", "T1", Formal::Count::optional},
    {"past_value", "T2", Formal::Count::optional},
    {"nonpad_kv_seqlen", "tensor(int64)", Formal::Count::optional}};

constinit const OpSchema Attention::schema = {
    "Attention",
    "",
    {{.since = 23,
      .inputs = {{"Q", "T1"},
                 {"K", "T1"},
                 {"V", "T2"},
                 {"attn_mask", "U", Formal::Count::optional},
                 {"past_key", "T1", Formal::Count::optional},
                 {"past_value", "T2", Formal::Count::optional}},
      .outputs = attention_outputs,
      .attributes = attention_attributes,
      .types = {{"T1", types::floats},
                {"T2", types::floats},
                {"U", types::boolean_only | types::numbers_and_bfloat16}}},
     {.since = 24,
      .inputs = attention_inputs,
      .outputs = attention_outputs,
      .attributes = attention_attributes,
      .types = {{"T1", types::floats},
                {"T2", types::floats},
                {"U", types::boolean_only | types::numbers_and_bfloat16}}},
     {.since = 25,
      .inputs = attention_inputs,
      .outputs = attention_outputs,
      .attributes = {{"is_causal", AttributeKind::integer, false, 0},
                     {"kv_num_heads", AttributeKind::integer},
                     {"left_window_size", AttributeKind::integer, false, -1},
                     {"q_num_heads", AttributeKind::integer},
                     {"qk_matmul_output_mode", AttributeKind::integer, false, 0},
                     {"right_window_size", AttributeKind::integer, false, -1},
                     {"scale", AttributeKind::float_number},
                     {"softcap", AttributeKind::float_number, false, 0.0F},
                     {"softmax_precision", AttributeKind::integer}},
      .types = {{"T1", types::floats},
                {"T2", types::floats},
                {"U", types::boolean_only | types::numbers_and_bfloat16}}}}};

namespace {

/// Dimensions of queries, keys or values with a separate head axis, for inputs of rank 3 or 4.
struct HeadShape {
  Dimension batch;
  Dimension heads;
  Dimension length;
  Dimension size;
};

HeadShape head_shape(const InferContext& context, std::int64_t input, std::string_view name,
                     std::int64_t rank, std::int64_t heads) {
  check_rank(context, input, name, rank);
  const auto at = [&](std::int64_t axis) { return dimension_at(context, input, axis); };
  if (rank == 4) return {at(0), at(1), at(2), at(3)};
  return {at(0), heads, at(1), head_size(format("the width of '{}'", name), at(2), heads)};
}

/// The past length of keys or values; refines `shape` by the cache's dimensions.
Dimension add_past(const InferContext& context, std::int64_t input, std::string_view name,
                   HeadShape& shape) {
  if (!context.has_input(input)) return 0;
  check_rank(context, input, name, 4);
  shape.batch = merge_dimensions(shape.batch, dimension_at(context, input, 0));
  shape.heads = merge_dimensions(shape.heads, dimension_at(context, input, 1));
  shape.size = merge_dimensions(shape.size, dimension_at(context, input, 3));
  return dimension_at(context, input, 2);
}

void check_mask(const InferContext& context, const Dimensions& scores) {
  PartialShape mask = context.shape(3);
  if (!mask || mask->empty()) return;
  // A shorter last axis is padded, so only the other axes have to match.
  Dimensions target = scores;
  target.back() = mask->back();
  check_broadcasts_to(context, 3, "attn_mask", target);
}

}  // namespace

void Attention::read(AttributeReader& attributes, int) {
  is_causal = attributes.flag("is_causal");
  query_heads = read_heads(attributes, "q_num_heads");
  shared_heads = read_heads(attributes, "kv_num_heads");
  scale = attributes.find_number("scale");
  softcap = attributes.number("softcap", 0);
  scores = static_cast<Scores>(attributes.integer_in("qk_matmul_output_mode", 0, 0, 3));
  softmax_precision = read_element_type(attributes, "softmax_precision", "T1");
  constexpr std::int64_t max_window = std::int64_t{1} << 43;
  left_window = attributes.integer_in("left_window_size", -1, -1, max_window);
  right_window = attributes.integer_in("right_window_size", -1, -1, max_window);
}

void Attention::infer(InferContext& context) const {
  const std::int64_t rank = std::max(context.rank(0), std::max(context.rank(1), context.rank(2)));
  const DataType element = context.element(0);
  if (rank < 0) {
    context.set_output(0, element, std::nullopt);
    context.set_output(1, context.element(1), Dimensions(4));
    context.set_output(2, context.element(2), Dimensions(4));
    context.set_output(3, element, Dimensions(4));
    return;
  }
  if (rank != 3 && rank != 4) {
    throw Error(ErrorCode::invalid,
                format("queries, keys and values are of rank {} (expected 3 or 4)", rank));
  }
  if (rank == 3 && (query_heads == 0 || shared_heads == 0)) {
    throw Error(ErrorCode::invalid,
                "'q_num_heads' and 'kv_num_heads' are not both given, which inputs of rank 3 need");
  }
  if (context.has_input(4) != context.has_input(5)) {
    throw Error(ErrorCode::invalid, "'past_key' and 'past_value' are not given together");
  }
  const HeadShape query = head_shape(context, 0, "Q", rank, query_heads);
  HeadShape key = head_shape(context, 1, "K", rank, shared_heads);
  HeadShape value = head_shape(context, 2, "V", rank, shared_heads);
  const Dimension past_keys = add_past(context, 4, "past_key", key);
  const Dimension past_values = add_past(context, 5, "past_value", value);
  check_dimension("the size of a key", key.size, query.size);
  check_head_groups(query.heads, key.heads);
  const Dimension batch = merge_dimensions(query.batch, merge_dimensions(key.batch, value.batch));
  const Dimension heads = merge_dimensions(key.heads, value.heads);
  const Dimension total = merge_dimensions(key.length + past_keys, value.length + past_values);
  if (total.is_known()) check_size("the number of keys", total.number());
  check_vector(context, 6, "nonpad_kv_seqlen", batch);
  const Dimensions products = {batch, query.heads, query.length, total};
  check_mask(context, products);
  if (rank == 4) {
    context.set_output(0, element, Dimensions{batch, query.heads, query.length, value.size});
  } else {
    context.set_output(
        0, element, Dimensions{batch, query.length, multiply_dimensions(value.size, query.heads)});
  }
  context.set_output(1, context.element(1), Dimensions{batch, heads, total, key.size});
  context.set_output(2, context.element(2), Dimensions{batch, heads, total, value.size});
  context.set_output(3, element, products);
}

}  // namespace ortool
