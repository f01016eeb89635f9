// Character maps of SentencePiece's normalization (precompiled_charsmap): a double-array trie of
// what is replaced, and the replacements.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ortool::cpu {

class CharacterMap {
 public:
  /// The bytes of a map; empty: nothing is replaced. Throws ErrorCode::invalid for damaged ones.
  explicit CharacterMap(std::string_view bytes);

  /// The text with the longest entry at each place replaced.
  std::string apply(std::string_view text) const;

 private:
  /// The bytes that an entry covers at the beginning of a text, and its replacement's place.
  struct Entry {
    std::size_t bytes = 0;
    std::size_t replacement = 0;
  };
  Entry longest_entry(std::string_view text) const;

  std::vector<std::uint32_t> units_;
  std::string replacements_;  ///< each ends with a zero
};

}  // namespace ortool::cpu
