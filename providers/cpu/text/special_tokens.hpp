// Special tokens of byte-pair tokenizers: found in texts as they are, before words are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "providers/cpu/text/vocabulary.hpp"

namespace ortool::cpu {

class SpecialTokens {
 public:
  using Token = std::pair<std::string, std::int64_t>;

  /// `added`, and those of `names` that the vocabulary has; null names are none.
  SpecialTokens(std::vector<Token> added, const TokenIds& ids, std::span<const char* const> names);

  /// The first token from `at` on, the longest of those at one place; null at the text's end if
  /// there is none.
  std::pair<std::size_t, const Token*> next(std::string_view text, std::size_t at) const;

 private:
  std::vector<Token> tokens_;
};

}  // namespace ortool::cpu
