// Unigram tokenization (SentencePiece): the pieces of a text with the highest sum of scores.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/cpu/text/byte_trie.hpp"

namespace ortool::cpu {

/// A piece of a text: its id, or `unknown` for characters without one.
struct UnigramToken {
  static constexpr std::int64_t unknown = -1;
  std::int64_t id = 0;
  std::size_t bytes = 0;
};

class UnigramModel {
 public:
  /// Pieces are numbered in their order; empty ones never occur.
  UnigramModel(std::span<const std::string> pieces, std::vector<double> scores);

  /// The pieces of a text in UTF-8; neighboring unknown characters are one. O(n m) for pieces of m
  /// bytes at most.
  std::vector<UnigramToken> encode(std::string_view text) const;

 private:
  ByteTrie trie_;
  std::vector<double> scores_;
  double unknown_score_ = 0;
};

}  // namespace ortool::cpu
