// SearchDecoder: the compiled bodies of a generation operator, and one run of them with its caches.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "libcore/ops/contrib/search/search_bodies.hpp"
#include "libcore/runtime/control_flow/control_flow.hpp"
#include "libcore/runtime/search/token_sequences.hpp"

namespace ortool {

/// The inputs of the operator that its bodies read.
struct SearchPrompt {
  const Tensor* input_ids = nullptr;          ///< int32, or the features of sound
  const Tensor* attention_mask = nullptr;     ///< null: follows from the padding
  const Tensor* decoder_input_ids = nullptr;  ///< null: the start token
  std::int64_t beams = 1;
};

/// One search: feeds the bodies, and keeps the caches of each row.
class DecoderRun {
 public:
  virtual ~DecoderRun() = default;

  /// The tokens that every sequence begins with: int32 [batch, length].
  virtual const Tensor& first_tokens() const = 0;
  /// The logits after those: [batch, positions, vocabulary]. Sequences get at most `max_length`
  /// tokens.
  virtual Tensor first(std::int64_t max_length) = 0;
  /// The logits after the last tokens of the sequences, whose row `i` continues row `parents[i]`:
  /// [rows, positions, vocabulary].
  virtual Tensor next(const TokenSequences& sequences, std::span<const std::int32_t> parents) = 0;
};

class SearchDecoder {
 public:
  SearchDecoder(const Node& node, const SearchBodies& op, const MakeProgram& make_program);

  std::unique_ptr<DecoderRun> start(const SearchPrompt& prompt, const DynamicContext& context,
                                    const RunEnvironment& environment) const;
  std::vector<const Program*> programs() const;

  const SearchBodies& op() const { return op_; }
  const Body& decoder() const { return decoder_; }
  const Body& first_decoder() const { return init_decoder_ ? *init_decoder_ : decoder_; }
  const Body& encoder() const { return *encoder_; }

 private:
  SearchBodies op_;
  Body decoder_;
  std::optional<Body> init_decoder_;
  std::optional<Body> encoder_;
};

std::unique_ptr<DecoderRun> start_gpt(const SearchDecoder& bodies, const SearchPrompt& prompt,
                                      const DynamicContext& context,
                                      const RunEnvironment& environment);
std::unique_ptr<DecoderRun> start_encoder_decoder(const SearchDecoder& bodies,
                                                  const SearchPrompt& prompt,
                                                  const DynamicContext& context,
                                                  const RunEnvironment& environment);

/// Takes the logits out of a body's results; throws unless they are float [rows, positions, scores]
/// for `rows` rows. Returned as float32.
Tensor take_logits(std::vector<RunValue>& results, std::int64_t rows, MemoryCap* cap);

}  // namespace ortool
