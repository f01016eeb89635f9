// Operators whose output sizes are arithmetic on input sizes infer formulas over symbols.
#include <random>

#include <catch2/catch.hpp>

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/ops/tensor/slice.hpp"
#include "libcore/text/parse.hpp"
#include "tests/support/inferred.hpp"

namespace ortool::test {
namespace {

TEST_CASE("windows over symbols give formulas", "[ops]") {
  const std::string_view image = "float[N, 3, H, W] x, float[8, 3, 3, 3] w";
  CHECK(inferred({"y = Conv <pads = [1, 1, 1, 1]> (x, w)", image}) == "float32[N x 8 x H x W]");
  CHECK(inferred({"y = Conv <strides = [2, 2], pads = [1, 1, 1, 1]> (x, w)", image}) ==
        "float32[N x 8 x ceil(H/2) x ceil(W/2)]");
  CHECK(inferred({"y = Conv <dilations = [2, 1]> (x, w)", image}) ==
        "float32[N x 8 x (H - 4) x (W - 2)]");
  CHECK(inferred({R"(y = Conv <auto_pad = "SAME_UPPER", strides = [2, 3]> (x, w))", image}) ==
        "float32[N x 8 x ceil(H/2) x ceil(W/3)]");
  CHECK(inferred({"y = Conv(x, w)", "float[1, 1, 10] x, float[2, 1, K] w"}) ==
        "float32[1 x 2 x (-K + 11)]");
  CHECK(inferred({"y = MaxPool <kernel_shape = [3], strides = [2]> (x)", "float[N, C, L] x"}) ==
        "float32[N x C x (ceil(L/2) - 1)]");
  CHECK(inferred({"y = MaxPool <kernel_shape = [3], strides = [2], ceil_mode = 1> (x)",
                  "float[N, C, L] x"}) == "float32[N x C x floor(L/2)]");
  CHECK(inferred({"y = AveragePool <kernel_shape = [2], strides = [3], ceil_mode = 1> (x)",
                  "float[N, C, L] x"}) == "float32[N x C x ceil(L/3)]");
  CHECK(inferred({"y = ConvTranspose <strides = [2, 2], pads = [1, 1, 1, 1], output_padding = [1, "
                  "0]> (x, w)",
                  "float[N, 3, H, W] x, float[3, M, 3, 3] w"}) ==
        "float32[N x M x 2*H x (2*W - 1)]");
  CHECK(inferred({"y = ConvTranspose <group = 3> (x, w)", "float[N, 3, H] x, float[3, M, 1] w"}) ==
        "float32[N x 3*M x H]");
}

TEST_CASE("pads, repeats and pieces of symbols are formulas", "[ops]") {
  CHECK(inferred({"y = Pad(x, p)", "float[N, 4] x", "int64[4] p = {1, 0, 2, -1}"}) ==
        "float32[(N + 3) x 3]");
  CHECK_THAT(inferred({"y = Pad(x, p)", "float[N, 4] x", "int64[4] p = {0, 0, 0, -5}"}),
             Catch::Contains("axis 1 of size 4 with pads 0 and -5 would have size -1"));
  CHECK(inferred({"y = Pad(x, p, , a)", "float[N, 4] x, int64[2] p", "int64[1] a = {-1}"}) ==
        "float32[N x ?]");
  CHECK(inferred({"y = Tile(x, r)", "float[N, 4] x", "int64[2] r = {3, 0}"}) == "float32[3*N x 0]");
  CHECK(inferred({"s = Shape(z) y = Tile(x, s)", "float[N, 4] x, float[A, B] z"}) ==
        "float32[A*N x 4*B]");
  CHECK(inferred({"a, b, c = Split(x)", "float[N] x", "", 13}) ==
        "float32[floor(N/3)], float32[floor(N/3)], float32[floor(N/3)]");
  CHECK(inferred({"a, b = Split <num_outputs = 2> (x)", "float[N] x"}) ==
        "float32[ceil(N/2)], float32[(N - ceil(N/2))]");
  CHECK(inferred({"y = DepthToSpace <blocksize = 2> (x)", "float[N, C, H, W] x"}) ==
        "float32[N x floor(C/4) x 2*H x 2*W]");
  CHECK(inferred({"y = Concat <axis = 0> (a, b)", "float[N, 2] a, float[M, 2] b"}) ==
        "float32[(M + N) x 2]");
  CHECK(inferred({"y = Flatten(x)", "float[N, C, 7] x"}) == "float32[N x 7*C]");
}

TEST_CASE("slices of symbols are formulas", "[ops]") {
  const auto sliced = [](std::string_view constants) {
    return inferred({"y = Slice(x, s, e, a, p)", "float[N, 4] x", constants});
  };
  CHECK(sliced("int64[1] s = {0}, int64[1] e = {9223372036854775807}, int64[1] a = {0}, int64[1] p "
               "= {1}") == "float32[N x 4]");
  CHECK(sliced("int64[1] s = {2}, int64[1] e = {2147483647}, int64[1] a = {0}, int64[1] p = {1}") ==
        "float32[max(N - 2, 0) x 4]");
  CHECK(sliced("int64[1] s = {0}, int64[1] e = {-1}, int64[1] a = {0}, int64[1] p = {1}") ==
        "float32[max(N - 1, 0) x 4]");
  CHECK(sliced("int64[1] s = {0}, int64[1] e = {5}, int64[1] a = {0}, int64[1] p = {1}") ==
        "float32[min(N, 5) x 4]");
  CHECK(
      sliced("int64[1] s = {-1}, int64[1] e = {2147483647}, int64[1] a = {0}, int64[1] p = {1}") ==
      "float32[min(N, 1) x 4]");
  CHECK(sliced("int64[1] s = {0}, int64[1] e = {2147483647}, int64[1] a = {0}, int64[1] p = {2}") ==
        "float32[ceil(N/2) x 4]");
  CHECK(sliced("int64[1] s = {-1}, int64[1] e = {-9223372036854775808}, int64[1] a = {0}, int64[1] "
               "p = {-1}") == "float32[N x 4]");
  CHECK(sliced("int64[1] s = {3}, int64[1] e = {1}, int64[1] a = {0}, int64[1] p = {1}") ==
        "float32[0 x 4]");
}

TEST_CASE("a slice's formula agrees with the rule for numbers", "[ops]") {
  const auto seed = std::random_device()();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const auto number = [&](int low, int high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  for (int i = 0; i < 500; ++i) {
    const std::int64_t start = number(-7, 7);
    const std::int64_t end =
        number(0, 5) == 0 ? (number(0, 1) == 0 ? INT64_MIN : INT64_MAX) : number(-7, 7);
    const std::int64_t step = number(0, 1) == 0 ? number(1, 3) : number(-3, -1);
    const auto model = parse_model(format(
        "<ir_version: 8, opset_import: [\"\" : 13]> g (float[N] x) => (float[?] y) <int64[1] s = "
        "{{}}, "
        "int64[1] e = {{}}, int64[1] a = {0}, int64[1] p = {{}}> { y = Slice(x, s, e, a, p) }",
        start, end, step));
    infer_shapes(*model);
    const Dimension formula = model->graph->outputs()[0]->type().shape->front();
    for (std::int64_t size = 0; size < 9; ++size) {
      INFO(start << ":" << end << ":" << step << " of " << size << ", " << formula.to_string());
      CHECK(substitute(formula, {{"N", size}}) ==
            Dimension(Slice::range(size, start, end, step).count));
    }
  }
}

TEST_CASE("slices whose bounds are sizes are formulas too", "[ops]") {
  CHECK(inferred({"s = Shape <end = 1> (z) y = Slice(x, k, s)", "float[M, 2] x, float[N] z",
                  "int64[1] k = {0}"}) == "float32[min(M, N) x 2]");
  CHECK(inferred({"s = Shape <end = 1> (x) y = Slice(x, k, s)", "float[M, 2] x",
                  "int64[1] k = {0}"}) == "float32[M x 2]");
  CHECK(inferred({"y = Slice(x, k, e)", "float[M, 2] x, int64[1] e", "int64[1] k = {0}"}) ==
        "float32[? x 2]");
}

TEST_CASE("ranges over symbols are as long as the distance", "[ops]") {
  const std::string_view scalar = "s = Shape <end = 1> (x) n = Squeeze(s) y = Range(a, n, d)";
  CHECK(inferred({scalar, "float[N] x", "int64 a = {0}, int64 d = {1}"}) == "int64[N]");
  CHECK(inferred({scalar, "float[N] x", "int64 a = {0}, int64 d = {2}"}) == "int64[ceil(N/2)]");
  CHECK(inferred({"s = Shape <end = 1> (x) n = Squeeze(s) y = Range(n, a, d)", "float[N] x",
                  "int64 a = {0}, int64 d = {-1}"}) == "int64[N]");
}

}  // namespace
}  // namespace ortool::test
