// Beam scorer: the beams that go on in the next step, and the finished hypotheses of each row of
// the batch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libcore/runtime/search/token_sequences.hpp"

namespace ortool {

/// A candidate for the next step: a beam of the row and the token that would follow it.
struct BeamCandidate {
  float score = 0;
  std::int32_t beam = 0;
  std::int32_t token = 0;
};

struct BeamSettings {
  std::int64_t batch = 1;
  std::int64_t beams = 1;
  float length_penalty = 1.0F;
  bool early_stopping = false;
  std::int32_t eos_token_id = 0;
  std::int32_t pad_token_id = 0;
};

class BeamScorer {
 public:
  explicit BeamScorer(const BeamSettings& settings);

  /// `candidates`: 2 * beams for each row of the batch, the best first.
  void process(const TokenSequences& sequences, std::span<const BeamCandidate> candidates);
  /// Whether no row can improve.
  bool is_done() const { return open_rows_ == 0; }

  // What each beam of the next step continues, with which token, and its score.
  std::span<const std::int32_t> parents() const { return parents_; }
  std::span<const std::int32_t> tokens() const { return tokens_; }
  std::span<const float> scores() const { return scores_; }

  /// Ends open rows, and writes the best `kept` hypotheses of each row: tokens into `out` [batch,
  /// kept, width], filled with padding, and scores into `out_scores` [batch, kept].
  void finish(const TokenSequences& sequences, std::int64_t kept, std::span<std::int32_t> out,
              std::span<float> out_scores);

 private:
  struct Hypothesis {
    std::vector<std::int32_t> tokens;
    float score = 0;
  };
  struct Row {
    std::vector<Hypothesis> best;  ///< at most `beams`, the best first
    bool is_done = false;
  };

  void process_row(std::size_t index, const TokenSequences& sequences,
                   std::span<const BeamCandidate> candidates);
  void add(Row& row, std::span<const std::int32_t> tokens, float sum);
  float normalized(float sum, std::int64_t length) const;

  BeamSettings settings_;
  std::vector<Row> rows_;
  std::int64_t open_rows_;
  std::vector<std::int32_t> parents_;
  std::vector<std::int32_t> tokens_;
  std::vector<float> scores_;
};

/// The `count` best of `beams` x `vocabulary` scores; of equal ones the first. NaN counts as -inf.
void best_candidates(std::span<const float> scores, std::int64_t vocabulary,
                     std::span<BeamCandidate> out);

}  // namespace ortool
