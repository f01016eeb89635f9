// WordPiece: splitting into words as BERT does, and greedy matching of the longest piece.
#include "kernels/cpu/text/wordpiece.hpp"

#include <algorithm>
#include <utility>

#include "kernels/cpu/text/character_class.hpp"
#include "libcore/base/letter_case.hpp"
#include "libcore/base/utf8.hpp"

namespace ortool::cpu {
namespace {

bool begins_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80;
}

/// Collects characters to words.
class WordBuilder {
 public:
  explicit WordBuilder(const WordRules& rules) : rules_(rules) {}

  void add(std::uint32_t code, std::string_view bytes, std::size_t begin) {
    if (rules_.strips_accents) code = without_accents(code);
    const std::size_t end = begin + bytes.size();
    const bool stands_alone = (rules_.splits_ideographs && is_ideograph(code)) ||
                              (rules_.splits_punctuation && is_punctuation(code));
    if (stands_alone) {
      finish();
      append(code, begin, end);
      finish();
    } else if (rules_.strips_accents && is_accent(code)) {
      return;
    } else if (is_space(code)) {
      finish();
    } else if (!rules_.removes_controls || !is_control(code)) {
      append(code, begin, end);
    }
  }
  void add_byte(char byte, std::size_t begin) {
    if (word_.text.empty()) word_.begin = begin;
    word_.text += byte;
    word_.end = begin + 1;
  }
  std::vector<Word> take() {
    finish();
    return std::move(words_);
  }

 private:
  void append(std::uint32_t code, std::size_t begin, std::size_t end) {
    if (word_.text.empty()) word_.begin = begin;
    append_utf8(word_.text, code);
    word_.end = end;
  }
  void finish() {
    if (word_.text.empty()) return;
    if (rules_.in_small_letters) word_.text = with_letter_case(word_.text, LetterCase::lower);
    words_.push_back(std::exchange(word_, {}));
  }

  const WordRules& rules_;
  Word word_;
  std::vector<Word> words_;
};

}  // namespace

std::vector<Word> split_words(const WordRules& rules, std::string_view text) {
  WordBuilder builder(rules);
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Character character = read_utf8(text.substr(at));
    if (character.bytes == 0) {
      builder.add_byte(text[at], at);
    } else {
      builder.add(character.code, text.substr(at, character.bytes), at);
    }
    at += std::max<std::size_t>(character.bytes, 1);
  }
  return builder.take();
}

std::vector<Word> split_at_spaces(std::string_view text) {
  std::vector<Word> words;
  for (std::size_t at = text.find_first_not_of(' '); at != std::string_view::npos;
       at = text.find_first_not_of(' ', at)) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    words.push_back({std::string(text.substr(at, end - at)), at, end});
    at = end;
  }
  return words;
}

WordpieceVocabulary::WordpieceVocabulary(std::unordered_map<std::string, std::int64_t> ids,
                                         std::string prefix, std::size_t most_characters)
    : ids_(std::move(ids)), prefix_(std::move(prefix)), most_characters_(most_characters) {
  for (const auto& [token, id] : ids_) longest_ = std::max(longest_, token.size());
}

const std::int64_t* WordpieceVocabulary::find(const std::string& token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? nullptr : &found->second;
}

bool WordpieceVocabulary::has_too_many_characters(std::string_view word) const {
  return word.size() > most_characters_ &&
         static_cast<std::size_t>(std::count_if(word.begin(), word.end(), begins_character)) >
             most_characters_;
}

std::size_t WordpieceVocabulary::longest_piece(std::string_view word, bool is_first,
                                               std::string& piece) const {
  // No longer candidate is in the vocabulary, which bounds the work on long words.
  std::size_t bytes = std::min(word.size(), longest_);
  for (; bytes > 0; --bytes) {
    if (bytes < word.size() && !begins_character(word[bytes])) continue;
    piece = is_first ? std::string() : prefix_;
    piece += word.substr(0, bytes);
    if (find(piece) != nullptr) return bytes;
  }
  return 0;
}

}  // namespace ortool::cpu
