// Whisper's timestamp rule, as in its authors' decoding (A. Radford et al., Robust Speech
// Recognition via Large-Scale Weak Supervision, 2022) and in ONNX Runtime.
#include "libcore/runtime/search/timestamp_rule.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace ortool {
namespace {

constexpr float impossible = std::numeric_limits<float>::lowest();
/// The first timestamp is at most 50 steps of 20 ms.
constexpr std::int64_t max_first_timestamp = 50;

void exclude_range(std::span<float> scores, std::int64_t begin, std::int64_t end) {
  const auto size = static_cast<std::int64_t>(scores.size());
  for (std::int64_t i = std::max<std::int64_t>(begin, 0); i < std::min(end, size); ++i)
    scores[static_cast<std::size_t>(i)] = impossible;
}

void exclude_token(std::span<float> scores, std::int64_t token) {
  exclude_range(scores, token, token + 1);
}

/// The logarithm of the summed probabilities of the possible scores.
float log_sum(std::span<const float> scores) {
  const float largest = *std::max_element(scores.begin(), scores.end());
  float sum = 0;
  for (const float score : scores) {
    if (score > impossible) sum += std::exp(score - largest);
  }
  return sum > 0 ? std::log(sum) + largest : impossible;
}

}  // namespace

void apply_timestamp_rule(const TimestampTokens& tokens, std::span<const std::int32_t> sequence,
                          std::span<float> scores) {
  const auto size = static_cast<std::int64_t>(scores.size());
  const auto is_timestamp = [&](std::int32_t token) { return token >= tokens.first_timestamp; };
  const auto first = std::find_if(sequence.begin(), sequence.end(), is_timestamp);
  const std::ptrdiff_t begun = first - sequence.begin() + (first != sequence.end() ? 1 : 0);
  const auto length = static_cast<std::ptrdiff_t>(sequence.size());
  exclude_token(scores, tokens.no_timestamps);
  exclude_token(scores, tokens.start_of_lm);
  if (length > begun) {
    exclude_token(scores, tokens.start_of_transcript);
    exclude_token(scores, tokens.translate);
    exclude_token(scores, tokens.transcribe);
  }
  const bool was_last = !sequence.empty() && is_timestamp(sequence.back());
  const bool was_before_last = length <= begun || is_timestamp(sequence[sequence.size() - 2]);
  if (was_last && was_before_last) exclude_range(scores, tokens.first_timestamp, size);
  if (was_last && !was_before_last) exclude_range(scores, 0, tokens.end_of_text);
  const auto newest = std::find_if(sequence.rbegin(), sequence.rend(), is_timestamp);
  if (newest != sequence.rend()) {
    const bool may_repeat = was_last && !was_before_last;
    exclude_range(scores, tokens.first_timestamp, *newest + (may_repeat ? 0 : 1));
  }
  if (length == begun)
    exclude_range(scores, tokens.first_timestamp + max_first_timestamp + 1, size);
  if (tokens.first_timestamp < 1 || tokens.first_timestamp >= size) return;
  const auto split = static_cast<std::size_t>(tokens.first_timestamp);
  const std::span<float> text = scores.first(split);
  if (log_sum(scores.subspan(split)) > *std::max_element(text.begin(), text.end()))
    exclude_range(scores, 0, tokens.first_timestamp);
}

}  // namespace ortool
