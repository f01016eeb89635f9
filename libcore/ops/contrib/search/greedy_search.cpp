// Schemas of ONNX Runtime's GreedySearch and Sampling.
#include "libcore/ops/contrib/search/greedy_search.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {
namespace {

constexpr Formal::Count omissible = Formal::Count::optional;

}  // namespace

constinit const OpSchema GreedySearch::schema = {
    "GreedySearch",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input_ids", "I"},
                 {"max_length", "I"},
                 {"min_length", "I", omissible},
                 {"repetition_penalty", "T", omissible},
                 {"vocab_mask", "I", omissible},
                 {"prefix_vocab_mask", "I", omissible},
                 {"attention_mask", "I", omissible}},
      .outputs = {{"sequences", "I"}},
      .attributes = {{"decoder", AttributeKind::graph, true},
                     {"decoder_start_token_id", AttributeKind::integer, false, -1},
                     {"encoder", AttributeKind::graph},
                     {"eos_token_id", AttributeKind::integer, true},
                     {"init_decoder", AttributeKind::graph},
                     {"model_type", AttributeKind::integer, false, 0},
                     {"no_repeat_ngram_size", AttributeKind::integer, false, 0},
                     {"pad_token_id", AttributeKind::integer, true},
                     {"vocab_size", AttributeKind::integer, false, -1}},
      .types = {{"T", types::float32_only}, {"I", types::int32_only}}}}};

void GreedySearch::read(AttributeReader& attributes, int) {
  read_bodies(attributes, ModelType::decoder);
}

void GreedySearch::infer(InferContext& context) const {
  const Dimension batch = check_search_inputs(context, *this, 4, 5, 6);
  const Dimension length = size_from_input(context, 1, "max_length", {});
  infer_bodies(context);
  context.set_output(0, DataType::int32, Dimensions{batch, length});
}

constinit const OpSchema Sampling::schema = {
    "Sampling",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input_ids", "I"},
                 {"max_length", "I"},
                 {"min_length", "I", omissible},
                 {"repetition_penalty", "T", omissible},
                 {"vocab_mask", "I", omissible},
                 {"prefix_vocab_mask", "I", omissible},
                 {"attention_mask", "I", omissible},
                 {"presence_mask", "I", omissible},
                 {"seed", "I", omissible}},
      .outputs = {{"sequences", "I"}, {"filtered_logits", "T", omissible}},
      .attributes = {{"custom", AttributeKind::integer, false, 0},
                     {"decoder", AttributeKind::graph, true},
                     {"decoder_start_token_id", AttributeKind::integer, false, -1},
                     {"encoder", AttributeKind::graph},
                     {"eos_token_id", AttributeKind::integer, true},
                     {"filter_value", AttributeKind::float_number, false, -1e20F},
                     {"init_decoder", AttributeKind::graph},
                     {"min_tokens_to_keep", AttributeKind::integer, false, 0},
                     {"model_type", AttributeKind::integer, false, 0},
                     {"no_repeat_ngram_size", AttributeKind::integer, false, 0},
                     {"pad_token_id", AttributeKind::integer, true},
                     {"presence_penalty", AttributeKind::float_number, false, 0.0F},
                     {"temperature", AttributeKind::float_number, false, 1.0F},
                     {"top_p", AttributeKind::float_number, false, 0.0F},
                     {"vocab_size", AttributeKind::integer, false, -1}},
      .types = {{"T", types::float32_only}, {"I", types::int32_only}}}}};

void Sampling::read(AttributeReader& attributes, int version) {
  GreedySearch::read(attributes, version);
  temperature = attributes.number("temperature", 1.0F);
  top_p = attributes.number("top_p", 0.0F);
  filter_value = attributes.number("filter_value", -1e20F);
  min_tokens_to_keep = attributes.integer_in("min_tokens_to_keep", 0, 0, std::int64_t{1} << 31);
  presence_penalty = attributes.number("presence_penalty", 0.0F);
  keeps_from_top = attributes.flag("custom");
}

void Sampling::infer(InferContext& context) const {
  GreedySearch::infer(context);
  if (context.has_input(7)) check_rank(context, 7, "presence_mask", 2);
  context.set_output(1, DataType::float32,
                     Dimensions{dimension_at(context, 0, 0), context.unknown_dimension()});
}

}  // namespace ortool
