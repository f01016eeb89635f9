// String operators: shapes that depend on text, and invalid n-gram pools.
#include <catch2/catch.hpp>

#include "tests/support/inferred.hpp"

namespace ortool::test {
namespace {

void check_refused(const std::string& answer, const std::string& part) {
  CHECK_THAT(answer, Catch::StartsWith("invalid: ") && Catch::Contains(part));
}

TEST_CASE("strings are joined, cut, matched and cleaned", "[ops]") {
  CHECK(inferred({"y = StringConcat(a, b)", "string[N, 1] a, string[3] b"}) == "string[N x 3]");
  CHECK(inferred({"y = RegexFullMatch <pattern = \"a+\"> (x)", "string[N] x"}) == "bool[N]");
  check_refused(inferred({"y = RegexFullMatch(x)", "string[N] x"}), "'pattern' is missing");
  check_refused(inferred({"y = RegexFullMatch <pattern = \"a\"> (x)", "float[N] x"}), "float32");
  CHECK(inferred({"y, z = StringSplit(x)", "string[N] x"}) == "string[N x ?], int64[N]");
  check_refused(inferred({"y, z = StringSplit <maxsplit = -1> (x)", "string[N] x"}),
                "maxsplit is -1");
  CHECK(inferred({"y = StringNormalizer <stopwords = [\"a\"]> (x)", "string[4] x"}) == "string[?]");
  CHECK(inferred({"y = StringNormalizer(x)", "string[1, 4] x"}) == "string[1 x 4]");
  CHECK(inferred({"y = StringNormalizer(x)", "string[0] x"}) == "string[1]");
  check_refused(inferred({"y = StringNormalizer(x)", "string[2, 4] x"}), "expected C or 1 x C");
  check_refused(
      inferred({"y = StringNormalizer <case_change_action = \"Upper\"> (x)", "string[4] x"}),
      "'case_change_action' is 'Upper' (expected one of LOWER, UPPER, NONE)");
}

std::string tf_idf(const std::string& attributes, std::string_view input = "int64[N, 9] x") {
  const std::string node =
      "y = TfIdfVectorizer <mode = \"TF\", max_skip_count = 0, " + attributes + "> (x)";
  return inferred({node, input});
}

TEST_CASE("n-grams of a pool are counted into columns", "[ops]") {
  const std::string lengths = "min_gram_length = 1, max_gram_length = 2, ";
  const std::string pool = "pool_int64s = [2, 3, 5, 4, 5, 6], ngram_counts = [0, 2], ";
  CHECK(tf_idf(lengths + pool + "ngram_indexes = [0, 1, 5, 3]") == "float32[N x 6]");
  CHECK(tf_idf(lengths + pool + "ngram_indexes = [0, 1, 5, 3]", "int32[9] x") == "float32[6]");
  check_refused(tf_idf(lengths + pool + "ngram_indexes = [0, 1, 5]"),
                "'ngram_indexes' has 3 elements (expected 4");
  check_refused(tf_idf(lengths + pool + "ngram_indexes = [0, 1, 5, -3]"), "ngram_indexes holds -3");
  check_refused(tf_idf(lengths + pool + "ngram_indexes = [0, 1, 5, 9223372036854775807]"),
                "ngram_indexes holds 9223372036854775807");
  check_refused(tf_idf(lengths + pool + "ngram_indexes = [0, 1, 5, 3], weights = [1.0]"),
                "'weights' has 1 elements");
  check_refused(tf_idf(lengths + pool + "ngram_indexes = [0, 1, 5, 3]", "string[9] x"),
                "the input is string, but the pool is int64");
  check_refused(tf_idf(lengths + pool + "ngram_indexes = [0, 1, 5, 3]", "int64[1, 2, 9] x"),
                "expected C or N x C");
  check_refused(tf_idf(lengths + "pool_int64s = [2, 3, 5], ngram_counts = [0, 2], ngram_indexes = "
                                 "[0]"),
                "puts the 2-grams at 2 to 3 of a pool of 3");
  check_refused(tf_idf(lengths + "pool_int64s = [2], ngram_counts = [0, -5], ngram_indexes = [0]"),
                "puts the 1-grams at 0 to -5");
  check_refused(tf_idf(lengths + "pool_int64s = [2], ngram_counts = [0, 8], ngram_indexes = [0]"),
                "puts the 1-grams at 0 to 8");
  check_refused(
      tf_idf("min_gram_length = 1, max_gram_length = 3, " + pool + "ngram_indexes = [0, 1, 5, 3]"),
      "ngram_counts has 2");
  check_refused(
      tf_idf("min_gram_length = 0, max_gram_length = 2, " + pool + "ngram_indexes = [0, 1, 5, 3]"),
      "n-grams are of 0 to 2");
}

}  // namespace
}  // namespace ortool::test
