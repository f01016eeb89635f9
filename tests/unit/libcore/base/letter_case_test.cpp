// Letter case in several scripts, and text that must not change.
#include "libcore/base/letter_case.hpp"

#include <catch2/catch.hpp>

namespace ortool {
namespace {

std::string lower(std::string_view text) {
  return with_letter_case(text, LetterCase::lower);
}
std::string upper(std::string_view text) {
  return with_letter_case(text, LetterCase::upper);
}

}  // namespace

TEST_CASE("letters of many scripts change their case") {
  CHECK(upper("azAZ09_{") == "AZAZ09_{");
  CHECK(lower("AZaz09_[") == "azaz09_[");
  CHECK(upper("äéñÿøœ") == "ÄÉÑŸØŒ");
  CHECK(lower("ÄÉÑŸØŒ") == "äéñÿøœ");
  CHECK(upper("αβςω жя աֆ") == "ΑΒΣΩ ЖЯ ԱՖ");
  CHECK(lower("ΑΒΣΩ ЖЯ ԱՖ") == "αβσω жя աֆ");
  CHECK(lower("ĀĂĄ ǅ Ꙁ 𐐀") == "āăą ǆ ꙁ 𐐨");
  CHECK(upper("āăą ǆ ꙁ 𐐨") == "ĀĂĄ Ǆ Ꙁ 𐐀");
}

TEST_CASE("a letter becomes one letter") {
  CHECK(upper("ß") == "ß");
  CHECK(lower("İ") == "i");
  CHECK(upper("ı") == "I");
}

TEST_CASE("scripts without case and broken UTF-8 stay") {
  CHECK(upper("漢字 ב ١") == "漢字 ב ١");
  CHECK(upper("a\xff\xc3") == "A\xff\xc3");
}

TEST_CASE("in Turkish the dot stays on the i") {
  CHECK(with_letter_case("iı IİA", LetterCase::upper, LetterCaseLocale::turkic) == "İI IİA");
  CHECK(with_letter_case("iı IİA", LetterCase::lower, LetterCaseLocale::turkic) == "iı ıia");
  CHECK(dotted_i_of_locale("tr_TR.UTF-8") == LetterCaseLocale::turkic);
  CHECK(dotted_i_of_locale("az") == LetterCaseLocale::turkic);
  CHECK(dotted_i_of_locale("trv_TW") == LetterCaseLocale::common);
  CHECK(dotted_i_of_locale("") == LetterCaseLocale::common);
}

}  // namespace ortool
