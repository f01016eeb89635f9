// Pre-tokenization of byte-pair tokenizers: the words of a text, by the patterns of GPT-2 and CLIP.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

namespace ortool::cpu {

enum class WordPattern { gpt2, clip };

/// Splits texts into words that cover the text (GPT-2: with the space before each) or its visible
/// characters (CLIP).
class PreTokenizer {
 public:
  explicit PreTokenizer(WordPattern pattern);
  ~PreTokenizer();

  /// The words, as parts of the text.
  std::vector<std::string_view> split(std::string_view text) const;

 private:
  struct Pattern;
  std::unique_ptr<const Pattern> pattern_;
};

}  // namespace ortool::cpu
