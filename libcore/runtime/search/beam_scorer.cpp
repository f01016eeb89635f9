// Beam scorer, with the stopping rules of Hugging Face's beam search as ONNX Runtime has them.
#include "libcore/runtime/search/beam_scorer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/error.hpp"

namespace ortool {

BeamScorer::BeamScorer(const BeamSettings& settings)
    : settings_(settings),
      rows_(static_cast<std::size_t>(settings.batch)),
      open_rows_(settings.batch),
      parents_(static_cast<std::size_t>(multiply_sizes(settings.batch, settings.beams))),
      tokens_(parents_.size()),
      scores_(parents_.size()) {}

float BeamScorer::normalized(float sum, std::int64_t length) const {
  return sum / std::pow(static_cast<float>(length), settings_.length_penalty);
}

void BeamScorer::add(Row& row, std::span<const std::int32_t> tokens, float sum) {
  const float score = normalized(sum, static_cast<std::int64_t>(tokens.size()));
  const bool is_full = static_cast<std::int64_t>(row.best.size()) == settings_.beams;
  if (is_full && !(score > row.best.back().score)) return;
  if (is_full) row.best.pop_back();
  const auto place = std::find_if(row.best.begin(), row.best.end(),
                                  [&](const Hypothesis& other) { return score > other.score; });
  row.best.insert(place, {{tokens.begin(), tokens.end()}, score});
}

void BeamScorer::process(const TokenSequences& sequences,
                         std::span<const BeamCandidate> candidates) {
  const std::size_t count = candidates.size() / rows_.size();
  for (std::size_t i = 0; i < rows_.size(); ++i)
    process_row(i, sequences, candidates.subspan(i * count, count));
}

void BeamScorer::process_row(std::size_t index, const TokenSequences& sequences,
                             std::span<const BeamCandidate> candidates) {
  Row& row = rows_[index];
  const auto beams = static_cast<std::size_t>(settings_.beams);
  const std::size_t first = index * beams;
  if (row.is_done) {
    for (std::size_t i = first; i < first + beams; ++i) {
      parents_[i] = 0;
      tokens_[i] = settings_.pad_token_id;
      scores_[i] = 0;
    }
    return;
  }
  std::size_t next = first;
  for (std::size_t i = 0; i < candidates.size() && next < first + beams; ++i) {
    const BeamCandidate& candidate = candidates[i];
    const auto parent = static_cast<std::int32_t>(first) + candidate.beam;
    if (candidate.token == settings_.eos_token_id) {
      if (i < beams) add(row, sequences.row(parent), candidate.score);
      continue;
    }
    parents_[next] = parent;
    tokens_[next] = candidate.token;
    scores_[next++] = candidate.score;
  }
  ORTOOL_CHECK(next == first + beams);
  if (row.best.size() < beams) return;
  const bool can_improve =
      !settings_.early_stopping &&
      row.best.back().score < normalized(candidates.front().score, sequences.length());
  if (can_improve) return;
  row.is_done = true;
  --open_rows_;
}

void BeamScorer::finish(const TokenSequences& sequences, std::int64_t kept,
                        std::span<std::int32_t> out, std::span<float> out_scores) {
  std::fill(out.begin(), out.end(), settings_.pad_token_id);
  const auto returned = static_cast<std::size_t>(kept);
  const std::size_t width = out.size() / (rows_.size() * returned);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    Row& row = rows_[i];
    for (std::int64_t beam = 0; !row.is_done && beam < settings_.beams; ++beam) {
      const std::int64_t place = static_cast<std::int64_t>(i) * settings_.beams + beam;
      add(row, sequences.row(place), scores_[static_cast<std::size_t>(place)]);
    }
    for (std::size_t j = 0; j < returned; ++j) {
      const Hypothesis& hypothesis = row.best[j];
      std::copy(hypothesis.tokens.begin(), hypothesis.tokens.end(),
                out.begin() + static_cast<std::ptrdiff_t>((i * returned + j) * width));
      out_scores[i * returned + j] = hypothesis.score;
    }
  }
}

void best_candidates(std::span<const float> scores, std::int64_t vocabulary,
                     std::span<BeamCandidate> out) {
  std::size_t count = 0;
  float worst = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const float score = std::isnan(scores[i]) ? -std::numeric_limits<float>::infinity() : scores[i];
    if (count == out.size() && score <= worst) continue;
    if (count < out.size()) ++count;
    std::size_t place = count - 1;
    for (; place > 0 && score > out[place - 1].score; --place) out[place] = out[place - 1];
    const auto position = static_cast<std::int64_t>(i);
    out[place] = {score, static_cast<std::int32_t>(position / vocabulary),
                  static_cast<std::int32_t>(position % vocabulary)};
    worst = out[count - 1].score;
  }
  ORTOOL_CHECK(count == out.size());
}

}  // namespace ortool
