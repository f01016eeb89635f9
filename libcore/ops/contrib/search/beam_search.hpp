// com.microsoft.BeamSearch and WhisperBeamSearch: beam search over decoder bodies.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include "libcore/ops/contrib/search/search_bodies.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs: input_ids, max_length, min_length, num_beams, num_return_sequences, length_penalty,
/// repetition_penalty, vocab_mask, prefix_vocab_mask, attention_mask, decoder_input_ids and
/// logits_processor. Outputs: sequences, their scores, and the scores of all tokens of each step.
struct BeamSearch : SearchBodies {
  static const OpSchema schema;

  bool early_stopping = false;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// The same with inputs cross_qk_layer_head, extra_decoding_ids and temperature, and with the
/// outputs cross_qk and non_speech_probs.
struct WhisperBeamSearch : BeamSearch {
  static const OpSchema schema;

  // Special tokens; -1 where they are not given.
  std::int64_t translate_token_id = -1;
  std::int64_t transcribe_token_id = -1;
  std::int64_t start_of_lm_token_id = -1;
  std::int64_t no_speech_token_id = -1;
  std::int64_t no_timestamps_token_id = -1;
  std::int64_t beginning_timestamp_token_id = -1;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
