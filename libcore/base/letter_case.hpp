// UTF-8 in lower and in upper case, the same on every machine and in every locale.
#pragma once

#include <string>
#include <string_view>

namespace ortool {

enum class LetterCase { lower, upper };

/// Which letters i and I belong together: as nearly everywhere, or as in Turkish and Azeri, where
/// the dot stays (i and İ, ı and I).
enum class DottedI { common, turkic };

/// `text` with every letter mapped on its own, by Unicode 14's simple mappings: a letter becomes
/// one letter, whatever stands beside it, so that ß stays ß in upper case. Bytes that are no UTF-8
/// stay as they are.
std::string with_letter_case(std::string_view text, LetterCase letter_case,
                             DottedI dotted_i = DottedI::common);

/// The rule for a locale such as "tr_TR" or "az".
DottedI dotted_i_of_locale(std::string_view locale);

}  // namespace ortool
