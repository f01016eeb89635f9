// Score rules, Whisper's timestamps, and the choice of beams.
#include "libcore/runtime/search/score_rules.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/runtime/search/beam_scorer.hpp"

using namespace ortool;

namespace {

constexpr float lowest = std::numeric_limits<float>::lowest();
/// Ten tokens: 0 to 2 are text, 3 ends, 4 to 6 are special, timestamps begin at 7.
constexpr TimestampTokens special = {3, 4, 5, 5, 6, 6, 7};

std::vector<float> after(std::vector<std::int32_t> sequence, std::vector<float> scores) {
  apply_timestamp_rule(special, sequence, scores);
  return scores;
}

std::vector<float> even_scores() {
  return {-2, -2, -2, -2, -9, -9, -9, -9, -9, -9};
}

}  // namespace

TEST_CASE("A timestamp after text asks for its pair or the end") {
  const std::vector<float> scores = after({4, 7, 0, 8}, even_scores());
  for (const std::size_t text : {0U, 1U, 2U}) CHECK(scores[text] == lowest);
  CHECK(scores[3] == -2);
  CHECK(scores[7] == lowest);
  CHECK(scores[8] == -9);
}

TEST_CASE("Text follows a pair of timestamps, and time does not go back") {
  const std::vector<float> scores = after({4, 7, 0, 8, 8}, even_scores());
  CHECK(scores[0] == -2);
  for (const std::size_t timestamp : {7U, 8U, 9U}) CHECK(scores[timestamp] == lowest);
}

TEST_CASE("Timestamps win where they are likelier together than any text") {
  std::vector<float> scores = even_scores();
  scores[7] = scores[8] = scores[9] = -2.5F;
  CHECK(after({4}, scores)[0] == lowest);
  CHECK(after({4}, even_scores())[0] == -2);
}

TEST_CASE("Special tokens outside the vocabulary change nothing") {
  TimestampTokens far = special;
  far.first_timestamp = 100;
  far.no_timestamps = 99;
  std::vector<float> scores = {1, 2};
  const std::vector<std::int32_t> sequence = {0, 1};
  apply_timestamp_rule(far, sequence, scores);
  CHECK(scores == std::vector<float>{1, 2});
}

TEST_CASE("Of equal candidates the first wins, and NaN loses") {
  const std::vector<float> scores = {1, NAN, 3, 3, 2, -INFINITY};
  std::vector<BeamCandidate> best(4);
  best_candidates(scores, 3, best);
  const std::vector<std::pair<int, int>> expected = {{0, 2}, {1, 0}, {1, 1}, {0, 0}};
  for (std::size_t i = 0; i < best.size(); ++i) {
    CHECK(best[i].beam == expected[i].first);
    CHECK(best[i].token == expected[i].second);
  }
}

TEST_CASE("Tokens outside the vocabulary are not penalized") {
  std::vector<float> scores = {1, 2};
  const std::vector<std::int32_t> sequence = {-5, 7, 1};
  block_ngrams(sequence, 1, -1, scores);
  CHECK(scores == std::vector<float>{1, -1});
}
