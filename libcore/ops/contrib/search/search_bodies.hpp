// Bodies of the generation operators of ONNX Runtime (BeamSearch and its kin): a decoder, and for
// encoder-decoders an encoder that also computes the cross-attention caches.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"

namespace ortool {

/// What a decoder body's input holds.
enum class DecoderInput {
  input_ids,
  position_ids,
  attention_mask,
  encoder_attention_mask,
  encoder_hidden_states,
  encoder_input_ids,
  past,   ///< a cache of self-attention
  cross,  ///< a cache of cross-attention, which stays the same
  // Of bodies whose caches have room for all tokens, so that past and present share a buffer:
  past_length,        ///< how many tokens the caches hold
  beam_width,         ///< beams of each row of the batch
  cache_indirection,  ///< which beam holds each token of each beam
};

/// The inputs of a decoder body by position, and how many of its outputs are caches. Output 0 is
/// the logits, the caches follow.
struct DecoderLayout {
  std::vector<DecoderInput> inputs;
  std::size_t caches = 0;

  std::size_t first(DecoderInput input) const;
  bool has(DecoderInput input) const { return first(input) < inputs.size(); }
  bool shares_buffer() const { return has(DecoderInput::past_length); }
};

/// The attributes that BeamSearch, WhisperBeamSearch, GreedySearch and Sampling share.
struct SearchBodies {
  enum class ModelType { decoder, encoder_decoder, whisper };

  ModelType model_type = ModelType::decoder;
  Graph* decoder = nullptr;
  Graph* init_decoder = nullptr;  ///< for the first step; null: `decoder`
  Graph* encoder = nullptr;       ///< of an encoder-decoder
  DecoderLayout layout;           ///< of `decoder`, and of `init_decoder`
  std::int64_t eos_token_id = 0;
  std::int64_t pad_token_id = 0;
  std::int64_t decoder_start_token_id = -1;
  std::int64_t no_repeat_ngram_size = 0;
  std::int64_t vocab_size = -1;  ///< -1: the number of logits

  /// Whether the encoder takes the first step of the decoder too.
  bool encoder_takes_first_step() const;

  void read_bodies(AttributeReader& attributes, ModelType default_type);
  /// Infers the types inside the bodies. Throws where they do not fit together.
  void infer_bodies(InferContext& context) const;
};

/// Whether the node lies in a body of a generation operator, which owns the node's caches.
bool is_in_search_body(const Node& node);

/// A dimension given by an integer input of one element; `otherwise` where the input is omitted.
Dimension size_from_input(const InferContext& context, std::int64_t input, std::string_view name,
                          const Dimension& otherwise);
/// Checks 'input_ids' and the masks of vocabularies at these positions (-1: none). Returns the
/// batch size.
Dimension check_search_inputs(const InferContext& context, const SearchBodies& bodies,
                              std::int64_t vocab_mask, std::int64_t prefix_vocab_mask,
                              std::int64_t attention_mask);

}  // namespace ortool
