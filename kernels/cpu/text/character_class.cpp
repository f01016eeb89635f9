// Character classes by binary search in Unicode's ranges.
#include "kernels/cpu/text/character_class.hpp"

#include <algorithm>
#include <unordered_map>

#include "kernels/cpu/text/character_table.hpp"

namespace ortool::cpu {
namespace {

bool is_in(std::span<const CharacterRange> ranges, std::uint32_t code) {
  const auto found = std::upper_bound(
      ranges.begin(), ranges.end(), code,
      [](std::uint32_t wanted, const CharacterRange& range) { return wanted < range.first; });
  return found != ranges.begin() && code <= (found - 1)->last;
}

using LetterMap = std::unordered_map<std::uint32_t, std::uint32_t>;

const LetterMap& letters_without_accents() {
  static const LetterMap map = [] {
    LetterMap letters;
    for (const AccentedLetters& run : accented_letters()) {
      for (std::uint32_t i = 0; i < run.count; ++i)
        letters[run.first + i * run.step] = run.base + i * run.base_step;
    }
    return letters;
  }();
  return map;
}

}  // namespace

bool is_punctuation(std::uint32_t code) {
  return is_in(punctuation_ranges(), code);
}

bool is_accent(std::uint32_t code) {
  return is_in(accent_ranges(), code);
}

bool is_ideograph(std::uint32_t code) {
  return (code >= 0x4e00 && code <= 0x9fff) || (code >= 0x3400 && code <= 0x4dbf) ||
         (code >= 0x20000 && code <= 0x2a6df) || (code >= 0x2a700 && code <= 0x2ceaf) ||
         (code >= 0xf900 && code <= 0xfaff) || (code >= 0x2f800 && code <= 0x2fa1f);
}

bool is_control(std::uint32_t code) {
  if (code == '\t' || code == '\n' || code == '\r') return false;
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad ||
         (code >= 0x200b && code <= 0x200f) || (code >= 0x202a && code <= 0x202e) ||
         (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
}

bool is_space(std::uint32_t code) {
  return (code >= 9 && code <= 13) || code == 0x20 || code == 0x85 || code == 0xa0 ||
         code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 ||
         code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
}

std::uint32_t without_accents(std::uint32_t code) {
  if (code < 0xc0) return code;
  const auto found = letters_without_accents().find(code);
  return found == letters_without_accents().end() ? code : found->second;
}

void append_utf8(std::string& text, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xc0U | code >> 6U);
  } else {
    if (code < 0x10000) {
      put(0xe0U | code >> 12U);
    } else {
      put(0xf0U | code >> 18U);
      put(0x80U | (code >> 12U & 0x3fU));
    }
    put(0x80U | (code >> 6U & 0x3fU));
  }
  put(0x80U | (code & 0x3fU));
}

}  // namespace ortool::cpu
