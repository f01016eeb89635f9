// Schema and shape rule of LinearAttention; heads are packed into the last dimension.
#include "libcore/ops/nn/attention/linear_attention.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/ops/nn/attention/attention_heads.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema LinearAttention::schema = {
    "LinearAttention",
    "",
    {{.since = 27,
      .inputs = {{"query", "T"},
                 {"key", "T"},
                 {"value", "T"},
                 {"past_state", "S", Formal::Count::optional},
                 {"decay", "T", Formal::Count::optional},
                 {"beta", "T", Formal::Count::optional}},
      .outputs = {{"output", "T"}, {"present_state", "S"}},
      .attributes = {{"chunk_size", AttributeKind::integer, false, 64},
                     {"kv_num_heads", AttributeKind::integer, true},
                     {"q_num_heads", AttributeKind::integer, true},
                     {"scale", AttributeKind::float_number, false, 0.0F},
                     {"update_rule", AttributeKind::string, false, "gated_delta"}},
      .types = {{"T", types_of({DataType::float32, DataType::float16, DataType::bfloat16})},
                {"S", types_of({DataType::float32, DataType::float16, DataType::bfloat16})}}}}};

void LinearAttention::read_rule(AttributeReader& attributes) {
  rule = attributes.choice("update_rule", {"linear", "gated", "delta", "gated_delta"},
                           Rule::gated_delta);
  scale = attributes.number("scale", 0);
  attributes.ignore("chunk_size");
  const auto check_given = [&](std::int64_t input, std::string_view name, bool is_needed) {
    if (!is_needed || attributes.node().input(input) != nullptr) return;
    throw Error(ErrorCode::invalid,
                format("input '{}' is left out, but this update rule needs it", name));
  };
  check_given(4, "decay", rule == Rule::gated || rule == Rule::gated_delta);
  check_given(5, "beta", rule == Rule::delta || rule == Rule::gated_delta);
}

void LinearAttention::read(AttributeReader& attributes, int) {
  query_heads = read_heads(attributes, "q_num_heads");
  shared_heads = read_heads(attributes, "kv_num_heads");
  check_head_groups(query_heads, shared_heads);
  read_rule(attributes);
}

std::int64_t LinearAttention::key_heads(std::int64_t width, std::int64_t size) const {
  const std::int64_t heads = shares_keys && size > 0 ? width / size : shared_heads;
  if (heads * size == width && (heads == shared_heads || (heads > 0 && shared_heads % heads == 0)))
    return heads;
  throw Error(
      ErrorCode::invalid,
      format("the width of 'key' is {} (expected {} {} of {} elements, those of a query)", width,
             shared_heads, shares_keys ? "heads, or a divisor of that," : "heads", size));
}

void LinearAttention::infer(InferContext& context) const {
  constexpr std::string_view names[] = {"query", "key", "value", "past_state", "decay", "beta"};
  Dimension batch;
  Dimension length;
  for (std::int64_t input = 0; input < 6; ++input) {
    const bool is_state = input == 3;
    const std::int64_t leading = is_state && state_window > 0 ? 1 : 0;
    check_rank(context, input, names[input], is_state ? 4 + leading : 3);
    batch = merge_dimensions(batch, dimension_at(context, input, leading));
    if (!is_state) length = merge_dimensions(length, dimension_at(context, input, 1));
  }
  const Dimension width = dimension_at(context, 1, 2);
  Dimension key_size = head_size("the width of 'query'", dimension_at(context, 0, 2), query_heads);
  if (!shares_keys)
    key_size = merge_dimensions(key_size, head_size("the width of 'key'", width, shared_heads));
  if (key_size.is_known() && width.is_known())
    static_cast<void>(key_heads(width.number(), key_size.number()));
  const Dimension value_size =
      head_size("the width of 'value'", dimension_at(context, 2, 2), shared_heads);
  Dimensions state = {batch, shared_heads, key_size, value_size};
  if (state_window > 0) state.insert(state.begin(), Dimension(state_window));
  state = *merge_shapes(state, context.shape(3));
  context.set_output(
      0, context.element(0),
      Dimensions{batch, length,
                 multiply_dimensions(state.back(), std::max(query_heads, shared_heads))});
  const DataType element = context.element(context.has_input(3) ? 3 : 0);
  context.set_output(1, element, std::move(state));
}

}  // namespace ortool
