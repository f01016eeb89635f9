// Schemas of ONNX Runtime's Attention and QAttention, and their shape rule.
#include "libcore/ops/contrib/attention/attention.hpp"

#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/nn/attention/attention_heads.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema ContribAttention::schema = {
    "Attention",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input", "T"},
                 {"weights", "T"},
                 {"bias", "T", Formal::Count::optional},
                 {"mask_index", "M", Formal::Count::optional},
                 {"past", "T", Formal::Count::optional},
                 {"attention_bias", "T", Formal::Count::optional},
                 {"past_sequence_length", "M", Formal::Count::optional}},
      .outputs = {{"output", "T"}, {"present", "T", Formal::Count::optional}},
      .attributes = {{"do_rotary", AttributeKind::integer, false, 0},
                     {"mask_filter_value", AttributeKind::float_number, false, -10000.0F},
                     {"num_heads", AttributeKind::integer, true},
                     {"past_present_share_buffer", AttributeKind::integer, false, 0},
                     {"qkv_hidden_sizes", AttributeKind::integers},
                     {"rotary_embedding_dim", AttributeKind::integer, false, 0},
                     {"scale", AttributeKind::float_number},
                     {"unidirectional", AttributeKind::integer, false, 0}},
      .types = {{"T", types::scales}, {"M", types::int32_only}}}}};

constinit const OpSchema QAttention::schema = {
    "QAttention",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input", "T1"},
                 {"weight", "T2"},
                 {"bias", "T3"},
                 {"input_scale", "T3"},
                 {"weight_scale", "T3"},
                 {"mask_index", "T4", Formal::Count::optional},
                 {"input_zero_point", "T1", Formal::Count::optional},
                 {"weight_zero_point", "T2", Formal::Count::optional},
                 {"past", "T3", Formal::Count::optional}},
      .outputs = {{"output", "T3"}, {"present", "T3", Formal::Count::optional}},
      .attributes = {{"do_rotary", AttributeKind::integer, false, 0},
                     {"mask_filter_value", AttributeKind::float_number, false, -10000.0F},
                     {"num_heads", AttributeKind::integer, true},
                     {"past_present_share_buffer", AttributeKind::integer, false, 0},
                     {"scale", AttributeKind::float_number},
                     {"unidirectional", AttributeKind::integer, false, 0}},
      .types = {{"T1", types::bytes},
                {"T2", types::bytes},
                {"T3", types_of({DataType::float32, DataType::float16})},
                {"T4", types::int32_only}}}}};

void ContribAttention::read_common(AttributeReader& attributes) {
  heads = read_heads(attributes, "num_heads");
  scale = attributes.find_number("scale");
  if (scale == 0.0F) scale.reset();
  mask_filter = attributes.number("mask_filter_value", -10000.0F);
  is_causal = attributes.flag("unidirectional");
  rotates = attributes.flag("do_rotary");
  shares_buffer = attributes.flag("past_present_share_buffer");
}

std::optional<std::array<std::int64_t, 2>> read_qkv_widths(AttributeReader& attributes) {
  constexpr std::int64_t most = std::int64_t{1} << 31;
  const auto widths = attributes.find_integers("qkv_hidden_sizes");
  if (!widths || widths->empty()) return std::nullopt;
  const std::vector<std::int64_t>& given = *widths;
  if (given.size() != 3 || given[0] != given[1] || given[0] < 1 || given[2] < 1 ||
      given[0] > most || given[2] > most) {
    throw Error(ErrorCode::invalid,
                "attribute 'qkv_hidden_sizes' does not hold the widths of queries, keys and values "
                "(expected 3 numbers, the first two equal)");
  }
  return std::array{given[0], given[2]};
}

void ContribAttention::read(AttributeReader& attributes, int) {
  constexpr std::int64_t most = std::int64_t{1} << 31;
  read_common(attributes);
  rotated_size = attributes.integer_in("rotary_embedding_dim", 0, 0, most);
  const auto widths = read_qkv_widths(attributes);
  if (widths) {
    key_width = (*widths)[0];
    value_width = (*widths)[1];
  }
}

void QAttention::read(AttributeReader& attributes, int) {
  read_common(attributes);
}

void ContribAttention::infer_projected(InferContext& context, const ProjectedInputs& where) const {
  check_rank(context, where.input, "input", 3);
  check_rank(context, where.weights, "weights", 2);
  check_rank(context, where.past, "past", 5);
  const Dimension batch = dimension_at(context, where.input, 0);
  const Dimension length = dimension_at(context, where.input, 1);
  const Dimension width = dimension_at(context, where.weights, 1);
  check_dimension("the width of 'input'", dimension_at(context, where.input, 2),
                  dimension_at(context, where.weights, 0));
  check_vector(context, where.bias, "bias", width);
  Dimension keys = Dimension(key_width);
  Dimension values = Dimension(value_width);
  if (key_width == 0) {
    keys = values = head_size("the width of 'weights'", width, 3);
  } else {
    check_dimension("the width of 'weights'", width, Dimension(2 * key_width + value_width));
  }
  const Dimension size = head_size("the width of the queries", keys, heads);
  static_cast<void>(head_size("the width of the values", values, heads));
  Dimension rows = length;
  if (context.has_input(where.past))
    rows = dimension_at(context, where.past, 3) + (shares_buffer ? Dimension(0) : length);
  const DataType element =
      context.element(where.bias >= 0 && context.has_input(where.bias) ? where.bias : where.input);
  context.set_output(0, element, Dimensions{batch, length, values});
  context.set_output(1, element, Dimensions{Dimension(2), batch, Dimension(heads), rows, size});
}

}  // namespace ortool
