// Schemas of ONNX Runtime's MultiHeadAttention and DecoderMaskedMultiHeadAttention, and the layouts
// of their queries, keys and values.
#include "libcore/ops/contrib/attention/multi_head_attention.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/nn/attention/attention_heads.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

/// Length and head size of an operand of keys or values.
struct SequenceShape {
  Dimension length;
  Dimension size;
};

void check_ranks(const InferContext& context, std::int64_t input, std::string_view name,
                 std::string_view expected) {
  const std::int64_t rank = context.rank(input);
  if (rank < 0 || expected.find(static_cast<char>('0' + rank)) != std::string_view::npos) return;
  throw Error(ErrorCode::invalid, format("'{}' is of rank {} (expected {})", name, rank,
                                         expected == "3"    ? "3"
                                         : expected == "35" ? "3 or 5"
                                                            : "3, 4 or 5"));
}

/// Of keys or values: packed heads, heads x 2 x size with both, or heads before length.
SequenceShape sequence_shape(const InferContext& context, std::int64_t input, std::string_view name,
                             std::int64_t heads) {
  check_ranks(context, input, name, "345");
  const auto at = [&](std::int64_t axis) { return dimension_at(context, input, axis); };
  switch (context.rank(input)) {
    case 3:
      return {at(1), head_size(format("the width of '{}'", name), at(2), heads)};
    case 4:
      check_dimension(format("the number of heads in '{}'", name), at(1), Dimension(heads));
      return {at(2), at(3)};
    case 5:
      check_dimension(format("the number of heads in '{}'", name), at(2), Dimension(heads));
      check_dimension(format("dimension 3 of '{}'", name), at(3), Dimension(2));
      return {at(1), at(4)};
    default:
      return {};
  }
}

}  // namespace

std::optional<KeyMaskFormat> key_mask_form(const PartialShape& mask, const Dimension& batch,
                                           const Dimension& total) {
  if (!mask) return std::nullopt;
  const Dimensions& shape = *mask;
  if (shape.size() == 3 || shape.size() == 4) return KeyMaskFormat::queries_and_keys;
  if (shape.size() == 2) {
    check_dimension("the number of columns of the mask", shape[1], total);
    return KeyMaskFormat::keys;
  }
  if (shape.size() != 1) {
    throw Error(ErrorCode::invalid,
                format("the mask is of rank {} (expected 1 to 4)", shape.size()));
  }
  if (!shape[0].is_known() || !batch.is_known()) return std::nullopt;
  const std::int64_t count = shape[0].number();
  const std::int64_t size = batch.number();
  if (count == size || count == 3 * size + 2) return KeyMaskFormat::ends;
  if (count == 2 * size) return KeyMaskFormat::ends_and_starts;
  throw Error(ErrorCode::invalid, format("the mask has {} elements (expected {}, {} or {})", count,
                                         size, 2 * size, 3 * size + 2));
}

constinit const OpSchema MultiHeadAttention::schema = {
    "MultiHeadAttention",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"query", "T"},
                 {"key", "T", Formal::Count::optional},
                 {"value", "T", Formal::Count::optional},
                 {"bias", "T", Formal::Count::optional},
                 {"key_padding_mask", "M", Formal::Count::optional},
                 {"attention_bias", "T", Formal::Count::optional},
                 {"past_key", "T", Formal::Count::optional},
                 {"past_value", "T", Formal::Count::optional},
                 {"past_sequence_length", "M", Formal::Count::optional},
                 {"cache_indirection", "M", Formal::Count::optional}},
      .outputs = {{"output", "T"},
                  {"present_key", "T", Formal::Count::optional},
                  {"present_value", "T", Formal::Count::optional},
                  {"qk", "QK", Formal::Count::optional}},
      .attributes = {{"mask_filter_value", AttributeKind::float_number, false, -10000.0F},
                     {"num_heads", AttributeKind::integer, true},
                     {"scale", AttributeKind::float_number},
                     {"unidirectional", AttributeKind::integer, false, 0}},
      .types = {{"T", types::scales}, {"QK", types::scales}, {"M", types::int32_only}}}}};

void MultiHeadAttention::read(AttributeReader& attributes, int) {
  heads = read_heads(attributes, "num_heads");
  scale = attributes.find_number("scale");
  if (scale == 0.0F) scale.reset();
  mask_filter = attributes.number("mask_filter_value", -10000.0F);
  is_causal = attributes.flag("unidirectional");
}

constinit const OpSchema DecoderMaskedMultiHeadAttention::schema = {
    "DecoderMaskedMultiHeadAttention",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"query", "T"},
                 {"key", "T", Formal::Count::optional},
                 {"value", "T", Formal::Count::optional},
                 {"mask_index", "M", Formal::Count::optional},
                 {"attention_bias", "T", Formal::Count::optional},
                 {"past_key", "T", Formal::Count::optional},
                 {"past_value", "T", Formal::Count::optional},
                 {"past_sequence_length", "M", Formal::Count::optional},
                 {"beam_width", "M", Formal::Count::optional},
                 {"cache_indirection", "M", Formal::Count::optional},
                 {"bias", "T", Formal::Count::optional}},
      .outputs = {{"output", "T"},
                  {"present_key", "T", Formal::Count::optional},
                  {"present_value", "T", Formal::Count::optional},
                  {"qk", "QK", Formal::Count::optional}},
      .attributes = {{"mask_filter_value", AttributeKind::float_number, false, -10000.0F},
                     {"num_heads", AttributeKind::integer, true},
                     {"output_qk", AttributeKind::integer, false, 0},
                     {"past_present_share_buffer", AttributeKind::integer, false, 0},
                     {"scale", AttributeKind::float_number}},
      .types = {{"T", types::scales}, {"QK", types::scales}, {"M", types::int32_only}}}}};

void DecoderMaskedMultiHeadAttention::read(AttributeReader& attributes, int) {
  heads = read_heads(attributes, "num_heads");
  scale = attributes.find_number("scale");
  if (scale == 0.0F) scale.reset();
  mask_filter = attributes.number("mask_filter_value", -10000.0F);
  // The outputs and inputs that are there say the same.
  attributes.ignore("output_qk");
  attributes.ignore("past_present_share_buffer");
}

void MultiHeadAttentionBase::infer_heads(InferContext& context,
                                         const MultiHeadInputs& inputs) const {
  check_ranks(context, inputs.query, "query", "35");
  check_rank(context, inputs.past_key, "past_key", 4);
  check_rank(context, inputs.past_value, "past_value", 4);
  if (context.has_input(inputs.past_key) != context.has_input(inputs.past_value)) {
    throw Error(ErrorCode::invalid, "'past_key' and 'past_value' are not given together");
  }
  const auto at = [&](std::int64_t axis) { return dimension_at(context, inputs.query, axis); };
  const Dimension batch = at(0);
  const Dimension length = at(1);
  SequenceShape key;
  SequenceShape value;
  if (context.rank(inputs.query) == 5) {
    check_dimension("the number of heads in 'query'", at(2), Dimension(heads));
    check_dimension("dimension 3 of 'query'", at(3), Dimension(3));
    key = value = {length, at(4)};
  } else if (!context.has_input(inputs.key)) {
    key = value = {length, head_size("the width of 'query'", at(2), 3 * heads)};
  } else {
    const Dimension size = head_size("the width of 'query'", at(2), heads);
    key = sequence_shape(context, inputs.key, "key", heads);
    check_dimension("the size of a key", key.size, size);
    key.size = merge_dimensions(key.size, size);
    value = key;
    if (context.has_input(inputs.value)) {
      value = sequence_shape(context, inputs.value, "value", heads);
      check_dimension("the length of 'value'", value.length, key.length);
    } else if (context.rank(inputs.key) != 5 && context.rank(inputs.key) >= 0) {
      throw Error(ErrorCode::invalid,
                  "'value' is left out, but 'key' does not hold values as well");
    }
  }
  check_vector(
      context, inputs.bias, "bias",
      Dimension(heads) * key.size + Dimension(heads) * key.size + Dimension(heads) * value.size);
  Dimension rows = key.length;   ///< of a cache
  Dimension total = key.length;  ///< of all keys
  if (context.has_input(inputs.past_key)) {
    rows = dimension_at(context, inputs.past_key, 2);
    if (inputs.past_length >= 0 && context.has_input(inputs.past_length)) {
      const auto given = single_integer(context, inputs.past_length, "past_sequence_length");
      if (given) check_size("'past_sequence_length'", *given);
      total = given ? key.length + Dimension(*given) : context.unknown_dimension();
      if (total.is_known() && rows.is_known() && total.number() > rows.number()) {
        throw Error(ErrorCode::invalid,
                    format("a cache of {} rows is to hold {} (expected room for past and new ones)",
                           rows.number(), total.number()));
      }
    } else {
      total = rows = rows + key.length;
    }
  }
  static_cast<void>(key_mask_form(context.shape(inputs.mask), batch, total));
  check_broadcasts_to(context, inputs.attention_bias, "attention_bias",
                      Dimensions{batch, Dimension(heads), length, total});
  context.set_output(0, context.element(inputs.query),
                     Dimensions{batch, length, multiply_dimensions(value.size, Dimension(heads))});
  context.set_output(1, context.element(inputs.query),
                     Dimensions{batch, Dimension(heads), rows, key.size});
  context.set_output(2, context.element(inputs.query),
                     Dimensions{batch, Dimension(heads), rows, value.size});
  context.set_output(3, context.element(inputs.query),
                     Dimensions{batch, Dimension(heads), length, total});
}

}  // namespace ortool
