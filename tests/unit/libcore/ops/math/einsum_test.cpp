// Einsum equations: their shapes, and invalid ones.
#include "libcore/ops/math/einsum.hpp"

#include <catch2/catch.hpp>

#include "tests/support/inferred.hpp"

namespace ortool::test {
namespace {

std::string einsum(std::string_view equation, std::string_view arguments, std::string_view inputs) {
  const std::string node =
      "y = Einsum <equation = \"" + std::string(equation) + "\"> (" + std::string(arguments) + ")";
  return inferred({node, inputs});
}

TEST_CASE("letters carry dimensions to the output", "[ops]") {
  const std::string_view matrices = "float[N, 3] a, float[3, M] b";
  CHECK(einsum("ij,jk->ik", "a, b", matrices) == "float32[N x M]");
  CHECK(einsum(" ij , jk -> ki ", "a, b", matrices) == "float32[M x N]");
  CHECK(einsum("ij,jk", "a, b", matrices) == "float32[N x M]");
  CHECK(einsum("ij,jk->", "a, b", matrices) == "float32[scalar]");
  CHECK(einsum("ba", "a", "float[N, 3] a") == "float32[3 x N]");
  CHECK(einsum("ii->i", "a", "float[N, 4] a") == "float32[4]");
}

TEST_CASE("an ellipsis stands for any number of axes", "[ops]") {
  CHECK(einsum("...ij,...jk->...ik", "a, b", "float[A, 1, 2, 3] a, float[5, 3, 4] b") ==
        "float32[A x 5 x 2 x 4]");
  CHECK(einsum("i...j->...", "a", "float[A, B, C, D] a") == "float32[B x C]");
  CHECK(einsum("...i", "a", "float[A, B] a") == "float32[A x B]");
  CHECK(einsum("...,...", "a, b", "float[A, B] a, float b") == "float32[A x B]");
}

TEST_CASE("formulas that are none, and inputs they are not for, are refused", "[ops]") {
  const std::string_view matrix = "float[2, 3] a";
  CHECK_THAT(einsum("i1", "a", matrix), Catch::Contains("something other than letters"));
  CHECK_THAT(einsum("ij->ij->i", "a", matrix), Catch::Contains("something other than"));
  CHECK_THAT(einsum("ij->iji", "a", matrix), Catch::Contains("twice in the output"));
  CHECK_THAT(einsum("ij->k", "a", matrix), Catch::Contains("no input has"));
  CHECK_THAT(einsum("...i...", "a", matrix), Catch::Contains("two ellipses"));
  CHECK_THAT(einsum("ij,jk", "a", matrix), Catch::Contains("2 terms for 1 inputs"));
  CHECK_THAT(einsum("ijk", "a", matrix), Catch::Contains("its term of the equation has 3 axes"));
  CHECK_THAT(einsum("i", "a", matrix), Catch::Contains("its term of the equation has 1 axes"));
  CHECK_THAT(einsum("ij,jk", "a, a", matrix), Catch::Contains("3 and 2"));
}

}  // namespace
}  // namespace ortool::test
