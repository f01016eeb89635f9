// Conversion of UTF-8 text to lower or upper case by a table of character runs.
#include "libcore/base/letter_case.hpp"

#include <algorithm>
#include <cstdint>

#include "libcore/base/letter_case_table.hpp"
#include "libcore/base/utf8.hpp"

namespace ortool {
namespace {

std::uint32_t mapped(std::span<const CaseRun> runs, std::uint32_t code) {
  auto run =
      std::upper_bound(runs.begin(), runs.end(), code,
                       [](std::uint32_t value, const CaseRun& each) { return value < each.first; });
  // A run with gaps may start before another run that fills its gaps.
  for (int tries = 0; tries < 2 && run != runs.begin(); ++tries) {
    --run;
    if (code <= run->last && (code - run->first) % run->step == 0)
      return static_cast<std::uint32_t>(static_cast<std::int64_t>(code) + run->added);
  }
  return code;
}

std::uint32_t mapped(LetterCase letter_case, LetterCaseLocale dotted_i, std::uint32_t code) {
  if (code < 0x80 && dotted_i == LetterCaseLocale::common) {
    const bool changes =
        letter_case == LetterCase::lower ? code >= 'A' && code <= 'Z' : code >= 'a' && code <= 'z';
    return changes ? code ^ 0x20U : code;
  }
  if (dotted_i == LetterCaseLocale::turkic && letter_case == LetterCase::lower && code == 'I')
    return 0x131;
  if (dotted_i == LetterCaseLocale::turkic && letter_case == LetterCase::upper && code == 'i')
    return 0x130;
  return mapped(letter_case == LetterCase::lower ? lower_case_runs() : upper_case_runs(), code);
}

void append_utf8(std::string& text, std::uint32_t code) {
  const auto append = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return append(code);
  if (code < 0x800) {
    append(0xc0U | code >> 6U);
  } else if (code < 0x10000) {
    append(0xe0U | code >> 12U);
    append(0x80U | (code >> 6U & 0x3fU));
  } else {
    append(0xf0U | code >> 18U);
    append(0x80U | (code >> 12U & 0x3fU));
    append(0x80U | (code >> 6U & 0x3fU));
  }
  append(0x80U | (code & 0x3fU));
}

}  // namespace

std::string with_letter_case(std::string_view text, LetterCase letter_case,
                             LetterCaseLocale dotted_i) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Utf8Character character = read_utf8(text);
    if (character.bytes == 0) {
      result += text.front();
      text.remove_prefix(1);
      continue;
    }
    append_utf8(result, mapped(letter_case, dotted_i, character.code));
    text.remove_prefix(character.bytes);
  }
  return result;
}

LetterCaseLocale dotted_i_of_locale(std::string_view locale) {
  const std::string_view language = locale.substr(0, locale.find_first_of("_-.@"));
  return language == "tr" || language == "az" ? LetterCaseLocale::turkic : LetterCaseLocale::common;
}

}  // namespace ortool
