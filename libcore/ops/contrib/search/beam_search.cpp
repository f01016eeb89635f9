// Schemas of ONNX Runtime's BeamSearch and WhisperBeamSearch, and the shapes of their sequences.
#include "libcore/ops/contrib/search/beam_search.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {
namespace {

constexpr Formal::Count may_be_omitted = Formal::Count::optional;
constexpr TypeSet score_types = types_of({DataType::float32, DataType::float16});
constexpr TypeSet encoder_types = score_types | types::int32_only;

void infer_sequences(InferContext& context, const BeamSearch& op) {
  const Dimension batch = check_search_inputs(context, op, 7, 8, 9);
  const Dimension length = size_from_input(context, 1, "max_length", {});
  const Dimension beams = size_from_input(context, 3, "num_beams", 1);
  const Dimension kept = size_from_input(context, 4, "num_return_sequences", 1);
  op.infer_bodies(context);
  const DataType scores = context.has_input(5) ? context.element(5) : DataType::float32;
  context.set_output(0, DataType::int32, Dimensions{batch, kept, length});
  context.set_output(1, scores, Dimensions{batch, kept});
  const Dimension unknown = context.unknown_dimension();
  context.set_output(2, scores, Dimensions{unknown, batch, beams, unknown});
}

}  // namespace

constinit const OpSchema BeamSearch::schema = {
    "BeamSearch",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input_ids", "F"},
                 {"max_length", "I"},
                 {"min_length", "I", may_be_omitted},
                 {"num_beams", "I"},
                 {"num_return_sequences", "I"},
                 {"length_penalty", "T", may_be_omitted},
                 {"repetition_penalty", "T", may_be_omitted},
                 {"vocab_mask", "M", may_be_omitted},
                 {"prefix_vocab_mask", "M", may_be_omitted},
                 {"attention_mask", "I", may_be_omitted},
                 {"decoder_input_ids", "I", may_be_omitted},
                 {"logits_processor", "I", may_be_omitted}},
      .outputs = {{"sequences", "I"},
                  {"sequences_scores", "T", may_be_omitted},
                  {"scores", "T", may_be_omitted}},
      .attributes = {{"decoder", AttributeKind::graph, true},
                     {"decoder_start_token_id", AttributeKind::integer, false, -1},
                     {"early_stopping", AttributeKind::integer, false, 0},
                     {"encoder", AttributeKind::graph},
                     {"eos_token_id", AttributeKind::integer, true},
                     {"init_decoder", AttributeKind::graph},
                     {"model_type", AttributeKind::integer, false, 0},
                     {"no_repeat_ngram_size", AttributeKind::integer, false, 0},
                     {"pad_token_id", AttributeKind::integer, true},
                     {"vocab_size", AttributeKind::integer, false, -1}},
      .types = {{"T", score_types},
                {"F", encoder_types},
                {"I", types::int32_only},
                {"M", types::int32_only}}}}};

void BeamSearch::read(AttributeReader& attributes, int) {
  read_bodies(attributes, ModelType::decoder);
  early_stopping = attributes.integer("early_stopping") == 1;
}

void BeamSearch::infer(InferContext& context) const {
  infer_sequences(context, *this);
}

constinit const OpSchema WhisperBeamSearch::schema = {
    "WhisperBeamSearch",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input_ids", "F"},
                 {"max_length", "I"},
                 {"min_length", "I", may_be_omitted},
                 {"num_beams", "I"},
                 {"num_return_sequences", "I"},
                 {"length_penalty", "T", may_be_omitted},
                 {"repetition_penalty", "T", may_be_omitted},
                 {"vocab_mask", "M", may_be_omitted},
                 {"prefix_vocab_mask", "M", may_be_omitted},
                 {"attention_mask", "I", may_be_omitted},
                 {"decoder_input_ids", "I", may_be_omitted},
                 {"logits_processor", "I", may_be_omitted},
                 {"cross_qk_layer_head", "I", may_be_omitted},
                 {"extra_decoding_ids", "I", may_be_omitted},
                 {"temperature", "T", may_be_omitted}},
      .outputs = {{"sequences", "I"},
                  {"sequences_scores", "T", may_be_omitted},
                  {"scores", "T", may_be_omitted},
                  {"cross_qk", "V", may_be_omitted},
                  {"non_speech_probs", "T", may_be_omitted}},
      .attributes = {{"beginning_timestamp_token_id", AttributeKind::integer},
                     {"decoder", AttributeKind::graph, true},
                     {"decoder_output_cross_qk", AttributeKind::integer},
                     {"decoder_start_token_id", AttributeKind::integer, false, -1},
                     {"early_stopping", AttributeKind::integer, false, 0},
                     {"encoder", AttributeKind::graph},
                     {"eos_token_id", AttributeKind::integer, true},
                     {"init_decoder", AttributeKind::graph},
                     {"model_type", AttributeKind::integer, false, 2},
                     {"no_repeat_ngram_size", AttributeKind::integer, false, 0},
                     {"no_speech_token_id", AttributeKind::integer},
                     {"no_timestamps_token_id", AttributeKind::integer},
                     {"pad_token_id", AttributeKind::integer, true},
                     {"start_of_lm_token_id", AttributeKind::integer},
                     {"transcribe_token_id", AttributeKind::integer},
                     {"translate_token_id", AttributeKind::integer},
                     {"vocab_size", AttributeKind::integer, false, -1}},
      .types = {{"T", score_types},
                {"F", encoder_types},
                {"I", types::int32_only},
                {"M", types::int32_only},
                {"V", types::float32_only}}}}};

void WhisperBeamSearch::read(AttributeReader& attributes, int) {
  if (attributes.integer("decoder_output_cross_qk") != 0) {
    throw Error(ErrorCode::unsupported,
                "the decoder's products of queries and keys are not collected "
                "(attribute 'decoder_output_cross_qk' is set)",
                "export the model without --collect_cross_qk");
  }
  read_bodies(attributes, ModelType::whisper);
  early_stopping = attributes.integer("early_stopping") == 1;
  translate_token_id = attributes.integer("translate_token_id", -1);
  transcribe_token_id = attributes.integer("transcribe_token_id", -1);
  start_of_lm_token_id = attributes.integer("start_of_lm_token_id", -1);
  no_speech_token_id = attributes.integer("no_speech_token_id", -1);
  no_timestamps_token_id = attributes.integer("no_timestamps_token_id", -1);
  beginning_timestamp_token_id = attributes.integer("beginning_timestamp_token_id", -1);
}

void WhisperBeamSearch::infer(InferContext& context) const {
  if (context.has_output(3)) {
    throw Error(ErrorCode::unsupported,
                "output 'cross_qk' needs a decoder with decoder_output_cross_qk",
                "leave that output out");
  }
  infer_sequences(context, *this);
  context.set_output(4, context.has_input(5) ? context.element(5) : DataType::float32,
                     Dimensions{dimension_at(context, 0, 0)});
}

}  // namespace ortool
