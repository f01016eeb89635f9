// Losses: reduced or one per sample, and mismatched operands.
#include <catch2/catch.hpp>

#include "tests/support/inferred.hpp"

namespace ortool::test {
namespace {

TEST_CASE("losses are a scalar unless nothing is reduced", "[ops]") {
  const std::string_view inputs = "float[N, 5, D] x, int64[N, D] t, float[5] w";
  CHECK(inferred({"y = NegativeLogLikelihoodLoss(x, t, w)", inputs}) == "float32[scalar]");
  CHECK(inferred({R"(y = NegativeLogLikelihoodLoss <reduction = "none"> (x, t))", inputs}) ==
        "float32[N x D]");
  CHECK(inferred({R"(y, p = SoftmaxCrossEntropyLoss <reduction = "sum", ignore_index = -1> (x, t))",
                  inputs}) == "float32[scalar], float32[N x 5 x D]");
  CHECK(inferred({R"(y = SoftmaxCrossEntropyLoss <reduction = "none"> (x, t))",
                  "float x, int32[2, 3] t"}) ==
        "invalid: 'scores' has the shape scalar, of rank 0 "
        "(expected at least 2)");
}

TEST_CASE("losses refuse operands that do not go together", "[ops]") {
  CHECK_THAT(inferred({R"(y = NegativeLogLikelihoodLoss <reduction = "all"> (x, t))",
                       "float[2, 5] x, int64[2] t"}),
             Catch::Contains("attribute 'reduction' is 'all' (expected one of none, mean, sum)"));
  CHECK_THAT(inferred({"y = NegativeLogLikelihoodLoss(x, t)", "float[2, 5] x, int64[3] t"}),
             Catch::Contains("the shapes 2 and 3 must be the same"));
  CHECK_THAT(inferred({"y = NegativeLogLikelihoodLoss(x, t)", "float[2, 5] x, int64[2, 5] t"}),
             Catch::Contains("'target' has the shape 2 x 5, of rank 2 (expected 1)"));
  CHECK_THAT(
      inferred({"y = SoftmaxCrossEntropyLoss(x, t, w)", "float[2, 5] x, int64[2] t, float[4] w"}),
      Catch::Contains("the length of 'weights' is 4 (expected 5)"));
}

}  // namespace
}  // namespace ortool::test
