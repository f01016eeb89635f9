// Schema and shape rule of GatedDeltaNet.
#include "libcore/ops/contrib/attention/gated_delta_net.hpp"

#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/nn/attention/attention_heads.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

constexpr auto net_optional = Formal::Count::optional;

/// Width of packed queries, keys and values less the values, for each of two times the key size.
Dimension packed_key_heads(const Dimension& width, const GatedDeltaNet::Sizes& sizes) {
  if (!width.is_known() || !sizes.key_size.is_known() || !sizes.value_heads.is_known() ||
      !sizes.value_size.is_known())
    return {};
  const std::int64_t both = width.number() - sizes.value_heads.number() * sizes.value_size.number();
  const std::int64_t each = 2 * sizes.key_size.number();
  if (both > 0 && each > 0 && both % each == 0) return both / each;
  throw Error(ErrorCode::invalid,
              format("a row of 'query' has {} elements (expected those of queries, keys and the {} "
                     "of values)",
                     width.number(), width.number() - both));
}

void check_rates(const InferContext& context, const GatedDeltaNet::Sizes& sizes) {
  check_vector(context, 7, "a_log", sizes.value_heads);
  check_vector(context, 8, "dt_bias", sizes.value_heads);
  check_rank(context, 5, "beta", sizes.token_axes + 1);
  const std::int64_t rank = context.rank(4);
  if (rank >= 0 && rank != sizes.token_axes + 1 && rank != sizes.token_axes + 2)
    throw Error(ErrorCode::invalid, format("'decay' is of rank {} (expected {} or {})", rank,
                                           sizes.token_axes + 1, sizes.token_axes + 2));
  for (const std::int64_t input : {4, 5}) {
    if (context.rank(input) > sizes.token_axes)
      check_dimension(input == 4 ? "the heads of 'decay'" : "the heads of 'beta'",
                      dimension_at(context, input, sizes.token_axes), sizes.value_heads);
  }
}

}  // namespace

constinit const OpSchema GatedDeltaNet::schema = {
    "GatedDeltaNet",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"query", "T"},
                 {"key", "T", net_optional},
                 {"value", "T", net_optional},
                 {"cu_seqlens", "TI", net_optional},
                 {"decay", "TS", net_optional},
                 {"beta", "TS", net_optional},
                 {"initial_state", "TS", net_optional},
                 {"a_log", "TS", net_optional},
                 {"dt_bias", "TS", net_optional},
                 {"capture_count", "TI", net_optional},
                 {"state_update_active", "TI", net_optional}},
      .outputs = {{"output", "T"},
                  {"final_state", "TS", net_optional},
                  {"state_update", "TS", net_optional}},
      .attributes = {{"beta_activation", AttributeKind::string, false, "none"},
                     {"chunk_size", AttributeKind::integer, false, 64},
                     {"gate_activation", AttributeKind::string, false, "none"},
                     {"qk_l2_norm", AttributeKind::integer, false, 0},
                     {"scale", AttributeKind::float_number, false, 0.0F},
                     {"state_update_capacity", AttributeKind::integer, false, 0},
                     {"update_rule", AttributeKind::string, false, "gated_delta"}},
      .types = {{"T", types::scales}, {"TS", types::float32_only}, {"TI", types::int32_only}}}}};

bool GatedDeltaNet::has_decay() const {
  return rule == LinearAttention::Rule::gated || rule == LinearAttention::Rule::gated_delta;
}

bool GatedDeltaNet::has_delta() const {
  return rule == LinearAttention::Rule::delta || rule == LinearAttention::Rule::gated_delta;
}

void GatedDeltaNet::read(AttributeReader& attributes, int) {
  constexpr std::int64_t most_captured = 8;
  rule = attributes.choice("update_rule", {"linear", "gated", "delta", "gated_delta"},
                           LinearAttention::Rule::gated_delta);
  scale = attributes.number("scale", 0);
  attributes.ignore("chunk_size");
  has_decay_function = attributes.choice("gate_activation", {"none", "qwen"}, 0) != 0;
  has_beta_sigmoid = attributes.choice("beta_activation", {"none", "sigmoid"}, 0) != 0;
  normalizes = attributes.flag("qk_l2_norm");
  capacity = attributes.integer_in("state_update_capacity", 0, 0, most_captured);
  const auto has = [&](std::int64_t input) { return attributes.node().input(input) != nullptr; };
  if (has(1) != has(2)) throw Error(ErrorCode::invalid, "'key' and 'value' are not given together");
  if (!has(6) && (!has(1) || !has(3)))
    throw Error(
        ErrorCode::invalid,
        "'initial_state' is left out, but packed queries or an omitted 'cu_seqlens' need it");
  if (has_decay() && !has(4))
    throw Error(ErrorCode::invalid, "'decay' is left out, but this update rule needs it");
  if (has(9) != (capacity > 0))
    throw Error(ErrorCode::invalid,
                "'capture_count' is given without a state_update_capacity, or the reverse");
}

std::optional<GatedDeltaNet::Sizes> GatedDeltaNet::sizes_of(const PartialShape& query,
                                                            const PartialShape& value,
                                                            const PartialShape& state) {
  if (!query) return std::nullopt;
  const bool is_packed = query->size() < 4 && !value;
  Sizes sizes;
  if (state && state->size() == 4) {
    sizes.value_heads = (*state)[1];
    sizes.value_size = (*state)[2];
    sizes.key_size = (*state)[3];
  }
  if (value && value->size() >= 2) {
    sizes.value_heads = merge_dimensions(sizes.value_heads, (*value)[value->size() - 2]);
    sizes.value_size = merge_dimensions(sizes.value_size, value->back());
  }
  sizes.token_axes = static_cast<std::int64_t>(query->size()) - (is_packed ? 1 : 2);
  if (is_packed) {
    sizes.key_heads = packed_key_heads(query->back(), sizes);
  } else {
    sizes.key_heads = (*query)[query->size() - 2];
    sizes.key_size = merge_dimensions(sizes.key_size, query->back());
  }
  if (sizes.key_heads.is_known() && sizes.value_heads.is_known())
    check_head_groups(sizes.value_heads, sizes.key_heads);
  return sizes;
}

void GatedDeltaNet::infer(InferContext& context) const {
  check_rank(context, 6, "initial_state", 4);
  const bool is_packed = !context.has_input(1);
  const std::int64_t rank = context.rank(0);
  if (rank >= 0 && (rank < (is_packed ? 2 : 3) || rank > (is_packed ? 3 : 4)))
    throw Error(ErrorCode::invalid, format("'query' is of rank {} (expected {} or {})", rank,
                                           is_packed ? 2 : 3, is_packed ? 3 : 4));
  const DataType element = context.element(0);
  const std::optional<Sizes> sizes =
      is_packed || context.shape(2) ? sizes_of(context.shape(0), context.shape(2), context.shape(6))
                                    : std::nullopt;
  if (!sizes) {
    context.set_output(0, element, std::nullopt);
    context.set_output(1, DataType::float32, context.shape(6));
    context.set_output(2, DataType::float32, std::nullopt);
    return;
  }
  if (!is_packed) {
    check_rank(context, 1, "key", rank);
    check_rank(context, 2, "value", rank);
    static_cast<void>(merge_shapes(context.shape(0), context.shape(1)));
  }
  if (context.has_input(3) && sizes->token_axes == 2)
    throw Error(ErrorCode::invalid, "'cu_seqlens' is given, but tokens are batch x length");
  check_rates(context, *sizes);
  if (context.has_output(2) && capacity > 0 && context.rank(4) > sizes->token_axes + 1)
    throw Error(ErrorCode::invalid,
                "'decay' has a number for each element of a key, but tokens are captured (expected "
                "one for each head)");
  Dimension batch = dimension_at(context, 6, 0);
  if (sizes->token_axes == 2) batch = merge_dimensions(batch, dimension_at(context, 0, 0));
  if (context.has_input(3)) {
    check_rank(context, 3, "cu_seqlens", 1);
    batch = merge_dimensions(batch, dimension_at(context, 3, 0) - 1);
  }
  check_vector(context, 9, "capture_count", batch);
  Dimensions out;
  for (std::int64_t axis = 0; axis < sizes->token_axes; ++axis)
    out.push_back(dimension_at(context, 0, axis));
  out.insert(out.end(), {sizes->value_heads, sizes->value_size});
  context.set_output(0, element, std::move(out));
  Dimensions state = {batch, sizes->value_heads, sizes->value_size, sizes->key_size};
  context.set_output(1, DataType::float32, *merge_shapes(state, context.shape(6)));
  const Dimension captured = sizes->value_heads +
                             multiply_dimensions(sizes->key_heads, sizes->key_size) +
                             multiply_dimensions(sizes->value_heads, sizes->value_size);
  context.set_output(2, DataType::float32,
                     Dimensions{batch, multiply_dimensions(captured, Dimension(capacity))});
}

}  // namespace ortool
