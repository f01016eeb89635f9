// Whisper's timestamp rule: timestamps come in pairs, do not decrease, and win over text together.
#pragma once

#include <cstdint>
#include <span>

namespace ortool {

/// Special tokens of Whisper. Tokens from `first_timestamp` on are timestamps.
struct TimestampTokens {
  std::int64_t end_of_text = 0;
  std::int64_t start_of_transcript = 0;
  std::int64_t translate = 0;
  std::int64_t transcribe = 0;
  std::int64_t start_of_lm = 0;
  std::int64_t no_timestamps = 0;
  std::int64_t first_timestamp = 0;
};

/// Changes the log probabilities of the tokens that may follow the sequence.
void apply_timestamp_rule(const TimestampTokens& tokens, std::span<const std::int32_t> sequence,
                          std::span<float> scores);

}  // namespace ortool
