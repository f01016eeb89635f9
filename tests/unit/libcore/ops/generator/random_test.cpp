// Random tensors: types and shapes from attributes or from an input.
#include <catch2/catch.hpp>

#include "tests/support/inferred.hpp"

namespace ortool::test {
namespace {

TEST_CASE("random tensors have the shape and type that attributes give", "[ops]") {
  CHECK(inferred({"y = RandomNormal <shape = [2, 0, 3]> ()"}) == "float32[2 x 0 x 3]");
  CHECK(inferred({"y = RandomUniform <shape: ints = [], dtype = 10> ()"}) == "float16[scalar]");
  CHECK_THAT(inferred({"y = RandomUniform <shape = [2], dtype = 7> ()"}),
             Catch::Contains("attribute 'dtype' is int64, which version 22"));
  CHECK_THAT(inferred({"y = RandomUniform <shape = [2], dtype = 99> ()"}),
             Catch::Contains("attribute 'dtype' is 99 (expected the number of a type"));
  CHECK_THAT(inferred({"y = RandomNormal <shape = [2, -1]> ()"}), Catch::StartsWith("invalid: "));
  CHECK_THAT(inferred({"y = RandomNormal <shape = [4611686018427387904, 4611686018427387904]> ()"}),
             Catch::StartsWith("invalid: "));
}

TEST_CASE("distributions that cannot be are refused", "[ops]") {
  CHECK_THAT(inferred({"y = RandomNormal <shape = [2], scale = -1.0> ()"}),
             Catch::Contains("'scale' is -1"));
  CHECK_THAT(inferred({"y = RandomNormal <shape = [2], mean = nan> ()"}),
             Catch::Contains("'mean' is nan"));
  CHECK_THAT(inferred({"y = RandomUniform <shape = [2], low = 2.0> ()"}),
             Catch::Contains("'low' is 2 (expected at most 'high', 1)"));
}

TEST_CASE("…Like operators take the input's shape, and its type where it can be", "[ops]") {
  CHECK(inferred({"y = RandomNormalLike(x)", "float16[N, 3] x"}) == "float16[N x 3]");
  CHECK(inferred({"y = RandomUniformLike <dtype = 11> (x)", "string[N] x"}) == "float64[N]");
  CHECK_THAT(inferred({"y = RandomUniformLike(x)", "int64[N] x"}),
             Catch::Contains("'dtype' is left out, but the input is int64"));
}

TEST_CASE("draws have the input's shape, or as many columns as are drawn", "[ops]") {
  CHECK(inferred({"y = Bernoulli(x)", "float[N, 3] x"}) == "float32[N x 3]");
  CHECK(inferred({"y = Bernoulli <dtype = 9> (x)", "float[N, 3] x"}) == "bool[N x 3]");
  CHECK(inferred({"y = Multinomial <sample_size = 5> (x)", "float[N, 3] x"}) == "int32[N x 5]");
  CHECK(inferred({"y = Multinomial <dtype = 7> (x)", "float[N, 3] x"}) == "int64[N x 1]");
  CHECK_THAT(inferred({"y = Multinomial <dtype = 1> (x)", "float[N, 3] x"}),
             Catch::Contains("'dtype' is float32"));
  CHECK_THAT(inferred({"y = Multinomial <sample_size = 0> (x)", "float[N, 3] x"}),
             Catch::Contains("sample_size is 0 (expected 1 to 2^31)"));
  CHECK_THAT(inferred({"y = Multinomial(x)", "float[3] x"}),
             Catch::Contains("rank 1 (expected 2)"));
}

}  // namespace
}  // namespace ortool::test
