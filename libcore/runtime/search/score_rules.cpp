// Applies the score rules of a search row by row, in the order of ONNX Runtime.
#include "libcore/runtime/search/score_rules.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace ortool {
namespace {

constexpr float excluded = std::numeric_limits<float>::lowest();

void penalize_repetition(std::span<const std::int32_t> sequence, float penalty,
                         std::span<float> scores) {
  std::vector<std::int32_t> tokens(sequence.begin(), sequence.end());
  std::sort(tokens.begin(), tokens.end());
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  for (const std::int32_t token : tokens) {
    if (token < 0 || static_cast<std::size_t>(token) >= scores.size()) continue;
    float& score = scores[static_cast<std::size_t>(token)];
    score = score < 0 ? score * penalty : score / penalty;
  }
}

/// `mask` begins with the row's numbers, one for each token.
void exclude_masked(std::span<const std::int32_t> mask, std::span<float> scores) {
  for (std::size_t token = 0; token < scores.size(); ++token) {
    if (mask[token] == 0) scores[token] = excluded;
  }
}

void force_token(std::size_t token, std::span<float> scores) {
  std::fill(scores.begin(), scores.end(), excluded);
  if (token < scores.size()) scores[token] = 0.0F;
}

}  // namespace

void block_ngrams(std::span<const std::int32_t> sequence, std::int64_t size, float score,
                  std::span<float> scores) {
  if (size < 1 || size > static_cast<std::int64_t>(sequence.size())) return;
  const auto prefix = static_cast<std::size_t>(size) - 1;
  const auto last = sequence.end() - static_cast<std::ptrdiff_t>(prefix);
  for (std::size_t i = 0; i + prefix < sequence.size(); ++i) {
    const std::int32_t token = sequence[i + prefix];
    if (token < 0 || static_cast<std::size_t>(token) >= scores.size()) continue;
    if (std::equal(last, sequence.end(), sequence.begin() + static_cast<std::ptrdiff_t>(i)))
      scores[static_cast<std::size_t>(token)] = score;
  }
}

void ScoreRules::apply(const TokenSequences& sequences, std::int64_t step, std::span<float> scores,
                       Workers& workers) const {
  const auto vocabulary = scores.size() / static_cast<std::size_t>(sequences.rows());
  workers.parallel_for(sequences.rows(), [&](std::int64_t row) {
    apply_to_row(sequences.row(row), row / beams, step,
                 scores.subspan(static_cast<std::size_t>(row) * vocabulary, vocabulary));
  });
}

void ScoreRules::apply_to_row(std::span<const std::int32_t> sequence, std::int64_t batch,
                              std::int64_t step, std::span<float> scores) const {
  const std::size_t own_part = static_cast<std::size_t>(batch) * scores.size();
  if (repetition_penalty != 1.0F) penalize_repetition(sequence, repetition_penalty, scores);
  block_ngrams(sequence, no_repeat_ngram_size, excluded, scores);
  if (!vocab_mask.empty()) exclude_masked(vocab_mask, scores);
  if (!prefix_mask.empty() && step == 0) exclude_masked(prefix_mask.subspan(own_part), scores);
  if (static_cast<std::int64_t>(sequence.size()) < min_length &&
      static_cast<std::size_t>(eos_token_id) < scores.size()) {
    scores[static_cast<std::size_t>(eos_token_id)] = excluded;
  }
  if (temperature > 0 && temperature != 1.0F) {
    for (float& score : scores) score /= temperature;
  }
  if (!presence_mask.empty() && presence_penalty != 0.0F) {
    for (std::size_t token = 0; token < scores.size(); ++token)
      scores[token] -= static_cast<float>(presence_mask[own_part + token]) * presence_penalty;
  }
  if (timestamps) apply_timestamp_rule(*timestamps, sequence, scores);
  if (forced_tokens.empty()) return;
  const auto rows = static_cast<std::size_t>(forced_rows);
  const std::size_t width = forced_tokens.size() / rows;
  if (static_cast<std::size_t>(step) >= width) return;
  const std::int32_t token =
      forced_tokens[static_cast<std::size_t>(batch) * width + static_cast<std::size_t>(step)];
  if (token >= 0) force_token(static_cast<std::size_t>(token), scores);
}

}  // namespace ortool
