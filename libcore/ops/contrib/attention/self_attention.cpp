// Schema and shape rule of SelfAttention.
#include "libcore/ops/contrib/attention/self_attention.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/nn/attention/attention_heads.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema SelfAttention::schema = {
    "SelfAttention",
    own_domain,
    {{.since = 1,
      .inputs = {{"qkv", "T"},
                 {"mask_index", "M", Formal::Count::optional},
                 {"past", "T", Formal::Count::optional},
                 {"attention_bias", "T", Formal::Count::optional},
                 {"past_sequence_length", "M", Formal::Count::optional}},
      .outputs = {{"output", "T"}, {"present", "T", Formal::Count::optional}},
      .attributes = {{"is_causal", AttributeKind::integer, false, 0},
                     {"key_width", AttributeKind::integer, false, 0},
                     {"mask_filter_value", AttributeKind::float_number, false, -10000.0F},
                     {"num_heads", AttributeKind::integer, true},
                     {"rotated_size", AttributeKind::integer, false, 0},
                     {"scale", AttributeKind::float_number},
                     {"value_width", AttributeKind::integer, false, 0}},
      .types = {{"T", types::scales}, {"M", types::int32_only}}}}};

void SelfAttention::read(AttributeReader& attributes, int) {
  constexpr std::int64_t most = std::int64_t{1} << 31;
  heads = read_heads(attributes, "num_heads");
  key_width = attributes.integer_in("key_width", 0, 0, most);
  value_width = attributes.integer_in("value_width", 0, 0, most);
  rotated_size = attributes.integer_in("rotated_size", 0, -1, most);
  scale = attributes.find_number("scale");
  mask_filter = attributes.number("mask_filter_value", -10000.0F);
  is_causal = attributes.flag("is_causal");
  for (const std::int64_t width : {key_width, value_width}) {
    if (width % heads != 0)
      throw Error(ErrorCode::invalid,
                  format("{} elements are not a multiple of the {} heads", width, heads));
  }
}

void SelfAttention::infer(InferContext& context) const {
  check_rank(context, 0, "qkv", 3);
  check_rank(context, inputs.past_key, "past", 5);
  const Dimension batch = dimension_at(context, 0, 0);
  const Dimension length = dimension_at(context, 0, 1);
  const Dimension width = dimension_at(context, 0, 2);
  Dimension keys = Dimension(key_width);
  Dimension values = Dimension(value_width);
  if (key_width == 0) {
    keys = values = head_size("the width of queries, keys and values", width, 3);
  } else {
    check_dimension("the width of queries, keys and values", width,
                    Dimension(2 * key_width + value_width));
  }
  const Dimension size = head_size("the width of the queries", keys, heads);
  Dimension rows = length;
  Dimension total = length;
  if (context.has_input(inputs.past_key)) {
    const auto at = [&](std::int64_t axis) { return dimension_at(context, inputs.past_key, axis); };
    check_dimension("the first dimension of 'past'", at(0), Dimension(2));
    check_dimension("the number of heads in 'past'", at(2), Dimension(heads));
    check_dimension("the size of a head in 'past'", at(4), size);
    rows = at(3);
    if (context.has_input(inputs.past_length)) {
      const auto given = single_integer(context, inputs.past_length, "past_sequence_length");
      total = given ? length + Dimension(*given) : context.unknown_dimension();
    } else {
      total = rows = rows + length;
    }
  }
  static_cast<void>(key_mask_form(
      context.rank(inputs.mask) == 4 ? std::nullopt : context.shape(inputs.mask), batch, total));
  check_broadcasts_to(context, inputs.attention_bias, "attention_bias",
                      Dimensions{batch, Dimension(heads), length, total});
  context.set_output(0, context.element(0), Dimensions{batch, length, values});
  context.set_output(1, context.element(0),
                     Dimensions{Dimension(2), batch, Dimension(heads), rows, size});
}

}  // namespace ortool
