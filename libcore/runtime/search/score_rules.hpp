// Score rules of a search (logits processors): repetition penalty, n-gram blocking, masks of the
// vocabulary, minimum length, temperature, presence penalty and Whisper's timestamps.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/runtime/search/timestamp_rule.hpp"
#include "libcore/runtime/search/token_sequences.hpp"

namespace ortool {

struct ScoreRules {
  std::int64_t beams = 1;
  float repetition_penalty = 1.0F;
  std::int64_t no_repeat_ngram_size = 0;           ///< 0: may repeat
  std::span<const std::int32_t> vocab_mask = {};   ///< empty: no mask
  std::span<const std::int32_t> prefix_mask = {};  ///< [batch, vocabulary], for the first step
  std::int64_t min_length = 0;
  std::int64_t eos_token_id = 0;
  float temperature = 1.0F;
  std::span<const std::int32_t> presence_mask = {};  ///< [batch, vocabulary]
  float presence_penalty = 0.0F;
  std::optional<TimestampTokens> timestamps = {};
  std::span<const std::int32_t> forced_tokens = {};  ///< [batch, steps]; below 0: not forced
  std::int64_t forced_rows = 1;                      ///< the batch of forced_tokens

  /// Changes the scores [rows, vocabulary] of the tokens that may follow the sequences; `step`
  /// counts from 0.
  void apply(const TokenSequences& sequences, std::int64_t step, std::span<float> scores,
             Workers& workers) const;

 private:
  void apply_to_row(std::span<const std::int32_t> sequence, std::int64_t batch, std::int64_t step,
                    std::span<float> scores) const;
};

/// Replaces the scores of tokens that would repeat an n-gram of the sequence.
void block_ngrams(std::span<const std::int32_t> sequence, std::int64_t size, float score,
                  std::span<float> scores);

}  // namespace ortool
