// Gather, scatter and selection operators: symbols are kept, data-dependent counts are unknown.
#include <catch2/catch.hpp>

#include "tests/support/inferred.hpp"

namespace ortool::test {
namespace {

TEST_CASE("gathered and scattered shapes follow indices and data", "[ops]") {
  CHECK(inferred({"y = GatherElements <axis = 1> (x, i)", "float[N, 4] x, int64[N, K] i"}) ==
        "float32[N x K]");
  CHECK(inferred({"y = GatherND <batch_dims = 1> (x, i)", "float[N, 4, 5] x, int64[N, K, 1] i"}) ==
        "float32[N x K x 5]");
  CHECK(inferred({"s = Shape(x) y = GatherND(s, i) z = Reshape(x, y)", "float[N, 4] x",
                  "int64[2, 1] i = {1, 0}"}) == "float32[4 x N]");
  CHECK(inferred({"y = ScatterND(x, i, u)", "float[N, 4] x, int64[K, 1] i, float[K, 4] u"}) ==
        "float32[N x 4]");
  CHECK(inferred({"y = OneHot(i, d, v)", "int64[N, 2] i, float[2] v", "int64 d = {7}"}) ==
        "float32[N x 2 x 7]");
  CHECK(inferred({"y = OneHot <axis = 0> (i, d, v)", "int64[N] i, float[2] v, int64[1] d"}) ==
        "float32[? x N]");
}

TEST_CASE("the k of TopK may be a number, a size or unknown", "[ops]") {
  CHECK(inferred({"v, i = TopK <k = 3> (x)", "float[N, 4] x", "", 1}) ==
        "float32[N x 3], int64[N x 3]");
  CHECK(inferred({"s = Shape <end = 1> (x) v, i = TopK(x, s)", "float[N, 4] x"}) ==
        "float32[N x N], int64[N x N]");
  CHECK(inferred({"v, i = TopK <axis = 0> (x, k)", "float[N, 4] x, int64[1] k"}) ==
        "float32[? x 4], int64[? x 4]");
}

TEST_CASE("what is left of a selection is known of constants only", "[ops]") {
  CHECK(inferred({"y = NonZero(x)", "float[N, 4] x"}) == "int64[2 x ?]");
  CHECK(inferred({"y = NonZero(x)", "", "float[2, 2] x = {0, 1, -0.5, 0}"}) == "int64[2 x 2]");
  CHECK(inferred({"y = Compress <axis = 1> (x, c)", "float[N, 4] x, bool[3] c"}) ==
        "float32[N x ?]");
  CHECK(inferred({"y = Compress <axis = 1> (x, c)", "float[N, 4] x", "bool[3] c = {1, 0, 1}"}) ==
        "float32[N x 2]");
  CHECK(inferred({"y, i, r, c = Unique(x)", "float[N, 4] x"}) ==
        "float32[?], int64[?], int64[4*N], int64[?]");
  CHECK(inferred({"y = NonMaxSuppression(b, s)", "float[1, N, 4] b, float[1, 2, N] s"}) ==
        "int64[? x 3]");
}

TEST_CASE("indices and counts that cannot be are refused", "[ops]") {
  CHECK_THAT(inferred({"y = GatherND(x, i)", "float[3, 4] x, int64[2, 3] i"}),
             Catch::Contains("last dimension of 'indices' is 3 (expected 1 to 2"));
  CHECK_THAT(inferred({"y = GatherND <batch_dims = 9223372036854775807> (x, i)",
                       "float[3, 4] x, int64[2, 1] i"}),
             Catch::Contains("expected 0 to 64"));
  CHECK_THAT(inferred({"y = GatherElements <axis = 5> (x, i)", "float[3] x, int64[3] i"}),
             Catch::Contains("axis 5 is outside rank 1"));
  CHECK_THAT(inferred({"y = ScatterElements <reduction = \"mean\"> (x, i, i)",
                       "int64[3] x, int64[3] i", "", 16}),
             Catch::Contains("none, add, mul"));
  CHECK_THAT(inferred({"y = ScatterND(x, i, u)", "float[3, 4] x, int64[2, 1] i, float[2, 5] u"}),
             Catch::Contains("2 x 4 and 2 x 5 must be the same"));
  CHECK_THAT(inferred({"v, i = TopK(x, k)", "float[4] x", "int64[1] k = {5}"}),
             Catch::Contains("k is 5 (expected at most the 4"));
  CHECK_THAT(inferred({"v, i = TopK(x, k)", "float[4] x", "int64[1] k = {-1}"}),
             Catch::Contains("k is -1"));
  CHECK_THAT(inferred({"y = OneHot(i, d, v)", "int64[2] i, float[2] v", "int64 d = {-7}"}),
             Catch::Contains("'depth' is -7"));
  CHECK_THAT(inferred({"y = OneHot(i, d, v)", "int64[2] i, float[2] v",
                       "int64 d = {9223372036854775807}"}),
             Catch::Contains("invalid"));
  CHECK_THAT(inferred({"y = ReverseSequence <time_axis = 1> (x, s)", "float[2, 3] x, int64[2] s"}),
             Catch::Contains("are both 1"));
  CHECK_THAT(inferred({"y = TensorScatter <axis = 0> (x, u)", "float[2, 3] x, float[2, 1] u"}),
             Catch::Contains("is the batch"));
  CHECK_THAT(inferred({"y = BitCast <to = 7> (x)", "float[2] x"}),
             Catch::Contains("expected a type of 32 bits"));
  CHECK_THAT(inferred({"y = CenterCropPad(x, s)", "float[2] x", "int64[1] s = {-2}"}),
             Catch::Contains("holds -2"));
}

TEST_CASE("windows that are put back give the size they came from", "[ops]") {
  CHECK(inferred({"y = MaxUnpool <kernel_shape = [2, 2], strides = [2, 2]> (x, i)",
                  "float[N, C, H, 4] x, int64[N, C, H, 4] i"}) == "float32[N x C x 2*H x 8]");
  CHECK(inferred({"y = Col2Im(x, i, b)", "float[N, 10, 12] x",
                  "int64[2] i = {5, 5}, int64[2] b = {1, 5}", 18}) ==
        "invalid: the number of blocks of 'input' is 12 (expected 5)");
  CHECK(inferred({"y = Col2Im(x, i, b)", "float[N, C, 5] x",
                  "int64[2] i = {5, 5}, int64[2] b = {1, 5}", 18}) ==
        "float32[N x floor(C/5) x 5 x 5]");
  CHECK(inferred({"y = AffineGrid(t, s)", "float[N, 2, 3] t, int64[4] s"}) ==
        "float32[N x ? x ? x 2]");
  CHECK(inferred({"y = GridSample(x, g)", "float[N, C, H, W] x, float[N, A, B, 2] g"}) ==
        "float32[N x C x A x B]");
  CHECK_THAT(inferred({"y = MaxRoiPool <pooled_shape = [0, 2]> (x, r)",
                       "float[1, 2, 3, 4] x, float[K, 5] r"}),
             Catch::Contains("'pooled_shape'"));
}

}  // namespace
}  // namespace ortool::test
