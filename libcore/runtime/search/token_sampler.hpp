// Token sampler: draws a token from the most probable ones (top-p, nucleus sampling).
#pragma once

#include <cstdint>
#include <random>
#include <span>

#include "libcore/ops/contrib/search/greedy_search.hpp"

namespace ortool {

/// Replaces the scores of the tokens that are not among the most probable ones by `filter_value`.
void filter_scores(const Sampling& op, std::span<float> scores);

/// Draws in the order and with the numbers of ONNX Runtime on Linux.
class TokenSampler {
 public:
  explicit TokenSampler(std::uint32_t seed) : generator_(seed) {}

  /// A token for each row of scores [rows, vocabulary], with the probabilities of their softmax.
  void draw(std::span<const float> scores, std::span<std::int32_t> tokens);

 private:
  std::minstd_rand0 generator_;
};

}  // namespace ortool
