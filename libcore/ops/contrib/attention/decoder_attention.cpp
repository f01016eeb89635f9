// Schemas and shape rules of DecoderAttention and DecoderMaskedSelfAttention.
#include "libcore/ops/contrib/attention/decoder_attention.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/nn/attention/attention_heads.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

constexpr auto decoder_optional = Formal::Count::optional;
constexpr TypeSet decoder_types = types_of({DataType::float32, DataType::float16});

void check_matrix(const InferContext& context, std::int64_t input, std::string_view name,
                  const Dimension& rows, const Dimension& columns) {
  check_rank(context, input, name, 2);
  check_dimension(format("the rows of '{}'", name), dimension_at(context, input, 0), rows);
  check_dimension(format("the columns of '{}'", name), dimension_at(context, input, 1), columns);
}

}  // namespace

constinit const OpSchema DecoderAttention::schema = {
    "DecoderAttention",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"query", "T"},
                 {"key", "T"},
                 {"q_weight", "T"},
                 {"kv_weight", "T"},
                 {"bias", "T"},
                 {"key_padding_mask", "B", decoder_optional},
                 {"key_cache", "T", decoder_optional},
                 {"value_cache", "T", decoder_optional},
                 {"static_kv", "B"},
                 {"use_past", "B"},
                 {"has_layer_state", "B"},
                 {"has_key_padding_mask", "B"}},
      .outputs = {{"output", "T"},
                  {"new_key_cache", "T", decoder_optional},
                  {"new_value_cache", "T", decoder_optional}},
      .attributes = {{"mask_filter_value", AttributeKind::float_number, false, -10000.0F},
                     {"num_heads", AttributeKind::integer, true}},
      .types = {{"T", decoder_types}, {"B", types_of({DataType::boolean})}}}}};

void DecoderAttention::read(AttributeReader& attributes, int) {
  heads = read_heads(attributes, "num_heads");
  mask_filter = attributes.number("mask_filter_value", -10000.0F);
  if ((attributes.node().input(6) != nullptr) != (attributes.node().input(7) != nullptr))
    throw Error(ErrorCode::invalid, "'key_cache' and 'value_cache' are not given together");
}

void DecoderAttention::infer(InferContext& context) const {
  check_rank(context, 0, "query", 3);
  check_rank(context, 1, "key", 3);
  const Dimension batch =
      merge_dimensions(dimension_at(context, 0, 1), dimension_at(context, 1, 1));
  const Dimension width =
      merge_dimensions(dimension_at(context, 0, 2), dimension_at(context, 1, 2));
  const Dimension size = head_size("the width of 'query'", width, heads);
  check_matrix(context, 2, "q_weight", width, width);
  check_matrix(context, 3, "kv_weight", width, width + width);
  check_vector(context, 4, "bias", width + width + width);
  check_rank(context, 5, "key_padding_mask", 2);
  check_rank(context, 6, "key_cache", 4);
  check_rank(context, 7, "value_cache", 4);
  for (std::int64_t input = 8; input < 12; ++input)
    check_single(context, input, schema.versions.begin()->inputs.begin()[input].name);
  const Dimensions cache = {batch, Dimension(heads), context.unknown_dimension(), size};
  context.set_output(0, context.element(0), Dimensions{dimension_at(context, 0, 0), batch, width});
  context.set_output(1, context.element(0), cache);
  context.set_output(2, context.element(0), cache);
}

constinit const OpSchema DecoderMaskedSelfAttention::schema = {
    "DecoderMaskedSelfAttention",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input", "T"},
                 {"weights", "T"},
                 {"bias", "T"},
                 {"mask_index", "M", decoder_optional},
                 {"past", "T"},
                 {"attention_bias", "T", decoder_optional},
                 {"past_sequence_length", "M", decoder_optional},
                 {"beam_width", "M", decoder_optional},
                 {"cache_indirection", "M", decoder_optional}},
      .outputs = {{"output", "T"}, {"present", "T"}},
      .attributes = {{"do_rotary", AttributeKind::integer, false, 0},
                     {"mask_filter_value", AttributeKind::float_number, false, -10000.0F},
                     {"num_heads", AttributeKind::integer, true},
                     {"past_present_share_buffer", AttributeKind::integer, false, 0},
                     {"scale", AttributeKind::float_number}},
      .types = {{"T", decoder_types}, {"M", types::int32_only}}}}};

void DecoderMaskedSelfAttention::read(AttributeReader& attributes, int) {
  heads = read_heads(attributes, "num_heads");
  shares_buffer = attributes.flag("past_present_share_buffer");
  for (const char* name : {"do_rotary", "mask_filter_value", "scale"}) attributes.ignore(name);
  const auto has = [&](std::int64_t input) { return attributes.node().input(input) != nullptr; };
  if (shares_buffer && !has(6))
    throw Error(ErrorCode::invalid, "'past_sequence_length' is left out, but the cache is shared");
  if (has(8) && !shares_buffer)
    throw Error(ErrorCode::invalid, "'cache_indirection' is given, but the cache is not shared");
}

void DecoderMaskedSelfAttention::infer(InferContext& context) const {
  check_rank(context, 0, "input", 3);
  check_rank(context, 4, "past", 5);
  const Dimension length = dimension_at(context, 0, 1);
  check_dimension("the length of 'input'", length, Dimension(1));
  const Dimension columns = dimension_at(context, 1, 1);
  check_matrix(context, 1, "weights", dimension_at(context, 0, 2), columns);
  check_vector(context, 2, "bias", columns);
  const Dimension width = head_size("the width of 'weights'", columns, 3);
  const Dimension size = head_size("the width of the queries", width, heads);
  const std::int64_t group = key_group(context.element(0));
  if (shares_buffer && size.is_known() && size.number() % group != 0)
    throw Error(
        ErrorCode::unsupported,
        format("a head has {} elements, but keys are in groups of {}", size.number(), group));
  const Dimension batch =
      merge_dimensions(dimension_at(context, 0, 0), dimension_at(context, 4, 1));
  Dimension rows = dimension_at(context, 4, 3);
  if (!shares_buffer) rows = rows + length;
  context.set_output(0, context.element(0), Dimensions{batch, length, width});
  context.set_output(1, context.element(0),
                     Dimensions{Dimension(2), batch, Dimension(heads), rows, size});
}

}  // namespace ortool
