// Byte-pair encoding (GPT-2): merges neighboring symbols of a word, the best pair first.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ortool::cpu {

/// The characters that stand for bytes in byte-level vocabularies: printable ones for themselves,
/// the others from U+0100 on.
std::string character_of_byte(unsigned char byte);

/// A piece of a word: its token, and how many bytes of the word it covers.
struct TokenRange {
  std::int64_t id = 0;
  std::size_t bytes = 0;
};

class BytePairModel {
 public:
  using TokenIds = std::unordered_map<std::string, std::int64_t>;

  using Pair = std::pair<std::string, std::string>;

  /// `merges` are pairs of symbols, the best first; those that the vocabulary lacks never occur.
  /// `word_end` is appended to the last symbol of each word, and bytes without a token have the id
  /// `unknown`.
  BytePairModel(const TokenIds& ids, std::span<const Pair> merges, std::string_view word_end,
                std::int64_t unknown);

  /// Appends the tokens of a word of bytes. O(n log n) for n bytes.
  void encode(std::string_view word, std::vector<TokenRange>& tokens) const;
  /// Appends what remains of symbols when they are merged. O(n log n) for n symbols.
  void merge(std::span<const TokenRange> symbols, std::vector<TokenRange>& tokens) const;

 private:
  struct Merge {
    std::int64_t rank;
    std::int64_t id;
  };
  static std::uint64_t key(std::int64_t left, std::int64_t right) {
    return static_cast<std::uint64_t>(left) << 32U | static_cast<std::uint64_t>(right);
  }
  const Merge* find_merge(std::int64_t left, std::int64_t right) const;

  std::int64_t of_byte_[256];
  std::int64_t of_last_byte_[256];
  std::int64_t unknown_;
  std::unordered_map<std::uint64_t, Merge> merges_;
};

}  // namespace ortool::cpu
