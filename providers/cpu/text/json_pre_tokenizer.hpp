// Pre-tokenizers of tokenizer.json: the words of a normalized text.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "libcore/json/json.hpp"

namespace ortool::cpu {

class JsonPreTokenizer {
 public:
  using Words = std::vector<std::string>;

  /// Reads the member 'pre_tokenizer', which may be null. Throws ErrorCode::unsupported, naming it,
  /// for a type that is not supported.
  explicit JsonPreTokenizer(const Json* pre_tokenizer);

  /// The words of a part of a text; `is_first` if the text begins there. A word is the text's first
  /// one only if nothing is removed before it.
  Words split(std::string part, bool is_first) const;

 private:
  /// Appends the words of a word.
  using Step = std::function<void(std::string word, bool is_first, Words& words)>;
  static Step step_of(const Json& part);

  struct NamedStep {
    Step apply;
    bool maps = false;  ///< changes characters rather than taking words apart
  };
  std::vector<NamedStep> steps_;
};

}  // namespace ortool::cpu
