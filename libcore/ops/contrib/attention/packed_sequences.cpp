// Schemas and shape rules of the operators on packed sequences.
#include "libcore/ops/contrib/attention/packed_sequences.hpp"

#include <string_view>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib/attention/attention.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/nn/attention/attention_heads.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

constexpr auto packed_optional = Formal::Count::optional;
constexpr TypeSet packed_types = types_of({DataType::float32, DataType::float16});

/// Checks the places of tokens and the sums of lengths at these positions.
void check_places(const InferContext& context, std::int64_t places, std::int64_t sums) {
  check_rank(context, places, "token_offset", 2);
  check_vector(context, sums, "cumulative_sequence_length", dimension_at(context, places, 0) + 1);
}

void check_bias(const InferContext& context, std::int64_t input, std::int64_t places,
                std::int64_t heads) {
  const Dimension length = dimension_at(context, places, 1);
  check_broadcasts_to(
      context, input, "attention_bias",
      Dimensions{dimension_at(context, places, 0), Dimension(heads), length, length});
}

}  // namespace

constinit const OpSchema RemovePadding::schema = {
    "RemovePadding",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input", "T"}, {"sequence_token_count", "M"}},
      .outputs = {{"output", "T"},
                  {"token_offset", "M"},
                  {"cumulated_seq_len", "M"},
                  {"max_seq_len", "M"}},
      .types = {{"T", packed_types}, {"M", types::int32_only}}}}};

void RemovePadding::infer(InferContext& context) const {
  check_rank(context, 0, "input", 3);
  const Dimension batch = dimension_at(context, 0, 0);
  check_vector(context, 1, "sequence_token_count", batch);
  context.set_output(0, context.element(0),
                     Dimensions{context.unknown_dimension(), dimension_at(context, 0, 2)});
  context.set_output(1, DataType::int32, Dimensions{batch, dimension_at(context, 0, 1)});
  context.set_output(2, DataType::int32, Dimensions{batch + 1});
  context.set_output(3, DataType::int32, Dimensions{Dimension(1)});
}

constinit const OpSchema RestorePadding::schema = {
    "RestorePadding",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input", "T"}, {"token_offset", "M"}},
      .outputs = {{"output", "T"}},
      .types = {{"T", packed_types}, {"M", types::int32_only}}}}};

void RestorePadding::infer(InferContext& context) const {
  check_rank(context, 0, "input", 2);
  check_rank(context, 1, "token_offset", 2);
  context.set_output(0, context.element(0),
                     Dimensions{dimension_at(context, 1, 0), dimension_at(context, 1, 1),
                                dimension_at(context, 0, 1)});
}

constinit const OpSchema PackedAttention::schema = {
    "PackedAttention",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input", "T"},
                 {"weights", "T"},
                 {"bias", "T"},
                 {"token_offset", "M"},
                 {"cumulative_sequence_length", "M"},
                 {"attention_bias", "T", packed_optional}},
      .outputs = {{"output", "T"}},
      .attributes = {{"num_heads", AttributeKind::integer, true},
                     {"qkv_hidden_sizes", AttributeKind::integers},
                     {"scale", AttributeKind::float_number}},
      .types = {{"T", packed_types}, {"M", types::int32_only}}}}};

void PackedAttention::read(AttributeReader& attributes, int) {
  heads = read_heads(attributes, "num_heads");
  attributes.ignore("scale");
  if (const auto widths = read_qkv_widths(attributes)) value_width = (*widths)[1];
}

void PackedAttention::infer(InferContext& context) const {
  check_rank(context, 0, "input", 2);
  check_rank(context, 1, "weights", 2);
  check_places(context, 3, 4);
  check_bias(context, 5, 3, heads);
  const Dimension width = dimension_at(context, 1, 1);
  check_dimension("the width of 'input'", dimension_at(context, 0, 1), dimension_at(context, 1, 0));
  check_vector(context, 2, "bias", width);
  const Dimension values =
      value_width > 0 ? Dimension(value_width) : head_size("the width of 'weights'", width, 3);
  static_cast<void>(head_size("the width of the values", values, heads));
  context.set_output(0, context.element(0), Dimensions{dimension_at(context, 0, 0), values});
}

constinit const OpSchema PackedMultiHeadAttention::schema = {
    "PackedMultiHeadAttention",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"query", "T"},
                 {"key", "T", packed_optional},
                 {"value", "T", packed_optional},
                 {"bias", "T", packed_optional},
                 {"token_offset", "M"},
                 {"cumulative_sequence_length", "M"},
                 {"attention_bias", "T", packed_optional}},
      .outputs = {{"output", "T"}},
      .attributes = {{"mask_filter_value", AttributeKind::float_number, false, -10000.0F},
                     {"num_heads", AttributeKind::integer, true},
                     {"scale", AttributeKind::float_number}},
      .types = {{"T", packed_types}, {"M", types::int32_only}}}}};

void PackedMultiHeadAttention::read(AttributeReader& attributes, int) {
  heads = read_heads(attributes, "num_heads");
  attributes.ignore("scale");
  attributes.ignore("mask_filter_value");
}

void PackedMultiHeadAttention::infer(InferContext& context) const {
  check_places(context, 4, 5);
  check_bias(context, 6, 4, heads);
  const Dimension tokens = dimension_at(context, 0, 0);
  if (!context.has_input(1)) {
    if (context.has_input(2)) throw Error(ErrorCode::invalid, "'value' is given, but not 'key'");
    check_rank(context, 0, "query", 4);
    check_dimension("the number of heads in 'query'", dimension_at(context, 0, 1),
                    Dimension(heads));
    check_dimension("dimension 2 of 'query'", dimension_at(context, 0, 2), Dimension(3));
    const Dimension width = multiply_dimensions(dimension_at(context, 0, 3), Dimension(heads));
    check_vector(context, 3, "bias", width + width + width);
    context.set_output(0, context.element(0), Dimensions{tokens, width});
    return;
  }
  if (!context.has_input(2)) throw Error(ErrorCode::invalid, "'key' is given, but not 'value'");
  constexpr std::string_view names[] = {"query", "key", "value"};
  for (std::int64_t input = 0; input < 3; ++input) {
    const std::string_view name = names[input];
    check_rank(context, input, name, 2);
    check_dimension(format("the number of tokens in '{}'", name), dimension_at(context, input, 0),
                    tokens);
    static_cast<void>(
        head_size(format("the width of '{}'", name), dimension_at(context, input, 1), heads));
  }
  const Dimension width = dimension_at(context, 0, 1);
  const Dimension values = dimension_at(context, 2, 1);
  check_dimension("the width of 'key'", dimension_at(context, 1, 1), width);
  check_vector(context, 3, "bias", width + width + values);
  context.set_output(0, context.element(0), Dimensions{tokens, values});
}

}  // namespace ortool
