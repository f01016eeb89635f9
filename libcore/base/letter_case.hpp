// Lower-case and upper-case conversion of UTF-8, independent of platform and locale.
#pragma once

#include <string>
#include <string_view>

namespace ortool {

enum class LetterCase { lower, upper };

/// The case mapping of i and I: the common one, or the one of Turkish and Azeri, which keeps the
/// dot (i and İ, ı and I).
enum class LetterCaseLocale { common, turkic };

/// `text` with each letter mapped by Unicode 14's simple case mappings: one letter to one letter,
/// independent of its context, so that ß stays ß in upper case. Bytes that are not valid UTF-8 are
/// kept.
std::string with_letter_case(std::string_view text, LetterCase letter_case,
                             LetterCaseLocale dotted_i = LetterCaseLocale::common);

/// The mapping for a locale such as "tr_TR" or "az".
LetterCaseLocale dotted_i_of_locale(std::string_view locale);

}  // namespace ortool
