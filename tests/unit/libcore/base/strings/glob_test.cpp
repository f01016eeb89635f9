// Tests of glob patterns with * and ?.
#include "libcore/base/strings/glob.hpp"

#include <string>

#include <catch2/catch.hpp>

using ortool::matches_glob;

TEST_CASE("a star stands for any text, a question mark for one byte") {
  CHECK(matches_glob("layer1/conv", "layer1/*"));
  CHECK(matches_glob("layer1/conv", "*conv"));
  CHECK(matches_glob("abcabd", "*ab?"));
  CHECK(matches_glob("", "*"));
  CHECK_FALSE(matches_glob("", "?"));
  CHECK_FALSE(matches_glob("layer1/conv", "layer2/*"));
  CHECK_FALSE(matches_glob("abc", "ab"));
}

TEST_CASE("many stars take no more time than the product of the lengths") {
  std::string pattern;
  for (int i = 0; i < 500; ++i) pattern += "*a";
  CHECK_FALSE(matches_glob(std::string(20000, 'a'), pattern + "b"));
}
