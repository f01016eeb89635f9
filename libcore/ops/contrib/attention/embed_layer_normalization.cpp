// Schemas of ONNX Runtime's EmbedLayerNormalization and QEmbedLayerNormalization, and their shape
// rule.
#include "libcore/ops/contrib/attention/embed_layer_normalization.hpp"

#include <string_view>

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"

namespace ortool {
namespace {

constexpr std::int64_t ids_input = 0;
constexpr std::int64_t segments_input = 1;
constexpr std::int64_t words_input = 2;
constexpr std::int64_t mask_input = 7;

/// The operands that both operators have at the same places.
void infer_embedding(InferContext& context, DataType element) {
  check_rank(context, ids_input, "input_ids", 2);
  check_rank(context, segments_input, "segment_ids", 2);
  check_rank(context, mask_input, "mask", 2);
  const Dimension batch = dimension_at(context, ids_input, 0);
  const Dimension length = dimension_at(context, ids_input, 1);
  const Dimension width = dimension_at(context, words_input, 1);
  constexpr std::string_view tables[] = {"word_embedding", "position_embedding",
                                         "segment_embedding"};
  for (std::int64_t i = 0; i < 3; ++i) {
    const std::string_view name = tables[i];
    check_rank(context, words_input + i, name, 2);
    check_dimension(format("the width of '{}'", name), dimension_at(context, words_input + i, 1),
                    width);
  }
  check_vector(context, 5, "gamma", width);
  check_vector(context, 6, "beta", width);
  if (context.has_input(segments_input) && !context.has_input(4)) {
    throw Error(ErrorCode::invalid, "'segment_ids' is given, but 'segment_embedding' is left out");
  }
  for (const std::int64_t input : {segments_input, mask_input}) {
    check_dimension("the length of an input of ids", dimension_at(context, input, 1), length);
    check_dimension("the batch of an input of ids", dimension_at(context, input, 0), batch);
  }
  context.set_output(0, element, Dimensions{batch, length, width});
  context.set_output(1, DataType::int32, Dimensions{batch});
  context.set_output(2, element, Dimensions{batch, length, width});
}

}  // namespace

constinit const OpSchema ContribEmbedLayerNormalization::schema = {
    "EmbedLayerNormalization",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input_ids", "T1"},
                 {"segment_ids", "T1", Formal::Count::optional},
                 {"word_embedding", "T"},
                 {"position_embedding", "T"},
                 {"segment_embedding", "T", Formal::Count::optional},
                 {"gamma", "T"},
                 {"beta", "T"},
                 {"mask", "T1", Formal::Count::optional},
                 {"position_ids", "T1", Formal::Count::optional}},
      .outputs = {{"output", "T"},
                  {"mask_index", "T1", Formal::Count::optional},
                  {"embedding_sum", "T", Formal::Count::optional}},
      .attributes = {{"epsilon", AttributeKind::float_number, false, 1e-12F},
                     {"mask_index_type", AttributeKind::integer, false, 0}},
      .types = {{"T1", types::int32_only},
                {"T", types_of({DataType::float32, DataType::float16})}}}}};

void ContribEmbedLayerNormalization::read(AttributeReader& attributes, int) {
  epsilon = attributes.number("epsilon", 1e-12F);
  attributes.ignore("mask_index_type");
}

void ContribEmbedLayerNormalization::infer(InferContext& context) const {
  check_rank(context, 8, "position_ids", 2);
  infer_embedding(context, context.element(words_input));
}

constinit const OpSchema QEmbedLayerNormalization::schema = {
    "QEmbedLayerNormalization",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input_ids", "T1"},
                 {"segment_ids", "T1", Formal::Count::optional},
                 {"word_embedding_quant", "T2"},
                 {"position_embedding_quant", "T2"},
                 {"segment_embedding", "T2", Formal::Count::optional},
                 {"gamma_quant", "T2"},
                 {"beta_quant", "T2"},
                 {"mask", "T1", Formal::Count::optional},
                 {"word_embedding_scale", "T"},
                 {"position_embedding_scale", "T"},
                 {"segment_embedding_scale", "T", Formal::Count::optional},
                 {"gamma_scale", "T"},
                 {"beta_scale", "T"},
                 {"word_embedding_zero_point", "T2"},
                 {"position_embedding_zero_point", "T2"},
                 {"segment_embedding_zero_point", "T2", Formal::Count::optional},
                 {"gamma_zero_point", "T2"},
                 {"beta_zero_point", "T2"}},
      .outputs = {{"layernorm_out", "T"}, {"mask_index_out", "T1"}},
      .attributes = {{"epsilon", AttributeKind::float_number, false, 1e-12F}},
      .types = {{"T1", types::int32_only}, {"T2", types::bytes}, {"T", types::float32_only}}}}};

void QEmbedLayerNormalization::read(AttributeReader& attributes, int) {
  epsilon = attributes.number("epsilon", 1e-12F);
}

void QEmbedLayerNormalization::infer(InferContext& context) const {
  infer_embedding(context, DataType::float32);
}

}  // namespace ortool
