// Schemas and shape rules of ONNX Runtime's RelativePositionBias and GatedRelativePositionBias.
#include "libcore/ops/contrib/attention/relative_position_bias.hpp"

#include <optional>

#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/nn/attention/attention_heads.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {
namespace {

Dimension given_length(const InferContext& context, std::int64_t input) {
  const std::optional<Dimensions> given = context.input_dimensions(input);
  if (!given || given->size() != 1) return context.unknown_dimension();
  if (given->front().is_known()) check_size("a length", given->front().number());
  return given->front();
}

}  // namespace

constinit const OpSchema RelativePositionBias::schema = {
    "RelativePositionBias",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"bias_table", "T"}, {"query_length", "U"}, {"key_length", "U"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"is_bidirectional", AttributeKind::integer, false, 0},
                     {"max_distance", AttributeKind::integer, true}},
      .types = {{"T", types_of({DataType::float32, DataType::float16})},
                {"U", types::int64_only}}}}};

void RelativePositionBias::read(AttributeReader& attributes, int) {
  is_bidirectional = attributes.flag("is_bidirectional");
  max_distance = attributes.integer_in("max_distance", 0, 1, std::int64_t{1} << 31);
}

void RelativePositionBias::infer(InferContext& context) const {
  check_rank(context, 0, "bias_table", 2);
  context.set_output(0, context.element(0),
                     Dimensions{Dimension(1), dimension_at(context, 0, 1), given_length(context, 1),
                                given_length(context, 2)});
}

constinit const OpSchema GatedRelativePositionBias::schema = {
    "GatedRelativePositionBias",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"query_layer", "T"},
                 {"query_bias", "T"},
                 {"rel_pos", "T"},
                 {"weight", "T"},
                 {"bias", "T"},
                 {"eco_a", "T"},
                 {"token_offset", "M", Formal::Count::optional}},
      .outputs = {{"output", "T"}},
      .attributes = {{"num_heads", AttributeKind::integer, true}},
      .types = {{"T", types_of({DataType::float32, DataType::float16})},
                {"M", types::int32_only}}}}};

void GatedRelativePositionBias::read(AttributeReader& attributes, int) {
  heads = read_heads(attributes, "num_heads");
}

void GatedRelativePositionBias::infer(InferContext& context) const {
  // Packed sequences have the places of their tokens.
  const bool is_packed = context.has_input(6);
  check_rank(context, 0, "query_layer", is_packed ? 2 : 3);
  check_rank(context, 2, "rel_pos", 4);
  check_rank(context, 6, "token_offset", 2);
  const std::int64_t padded = is_packed ? 6 : 0;
  const Dimension length = dimension_at(context, padded, 1);
  const Dimension width = dimension_at(context, 0, is_packed ? 1 : 2);
  static_cast<void>(head_size("the width of 'query_layer'", width, heads));
  check_vector(context, 1, "query_bias", width);
  context.set_output(
      0, context.element(0),
      Dimensions{dimension_at(context, padded, 0), Dimension(heads), length, length});
}

}  // namespace ortool
