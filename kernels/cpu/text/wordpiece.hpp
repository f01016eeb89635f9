// WordPiece tokenization (BERT): words of a text, and the longest pieces of a vocabulary in each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ortool::cpu {

/// How a text is split into words.
struct WordRules {
  bool in_small_letters = true;
  bool splits_ideographs = true;
  bool strips_accents = false;
  bool splits_punctuation = true;
  bool removes_controls = true;
};

/// A word, and the bytes of the text that it comes from.
struct Word {
  std::string text;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The words of a text; bytes that are no UTF-8 stay as they are.
std::vector<Word> split_words(const WordRules& rules, std::string_view text);
/// The parts between spaces, unchanged.
std::vector<Word> split_at_spaces(std::string_view text);

/// A vocabulary of pieces; those inside a word begin with a prefix.
class WordpieceVocabulary {
 public:
  WordpieceVocabulary(std::unordered_map<std::string, std::int64_t> ids, std::string prefix,
                      std::size_t most_characters);

  const std::int64_t* find(const std::string& token) const;

  /// Calls body(piece, id) for the pieces of a word, the longest first; returns false where no
  /// piece fits, after the ones before, or where the word is too long.
  template <typename Body>
  bool for_each_piece(std::string_view word, Body body) const {
    if (has_too_many_characters(word)) return false;
    bool is_first = true;
    while (!word.empty()) {
      std::string piece;
      const std::size_t bytes = longest_piece(word, is_first, piece);
      if (bytes == 0) return false;
      body(piece, *find(piece));
      word.remove_prefix(bytes);
      is_first = false;
    }
    return true;
  }

 private:
  bool has_too_many_characters(std::string_view word) const;
  /// The bytes of `word` that the longest piece covers; 0 if there is none.
  std::size_t longest_piece(std::string_view word, bool is_first, std::string& piece) const;

  std::unordered_map<std::string, std::int64_t> ids_;
  std::string prefix_;
  std::size_t most_characters_;
  std::size_t longest_ = 0;  ///< bytes of the longest token
};

}  // namespace ortool::cpu
