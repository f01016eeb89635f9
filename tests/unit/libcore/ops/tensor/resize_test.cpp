// Output sizes of Resize and Upsample: scales, sizes, aspect ratios, symbols, and refusals.
#include "libcore/ops/tensor/resize.hpp"

#include <catch2/catch.hpp>

#include "tests/support/inferred.hpp"

namespace ortool::test {
namespace {

std::string by_scales(std::string_view inputs, std::string_view scales) {
  return inferred({"y = Resize(x, , s)", inputs, scales});
}

TEST_CASE("scales multiply sizes and round down", "[ops]") {
  CHECK(by_scales("float[1, 3, 7, 9] x", "float[4] s = {1, 1, 2, 0.6}") ==
        "float32[1 x 3 x 14 x 5]");
  CHECK(by_scales("float[1, 10] x", "float[2] s = {1, 0.7}") == "float32[1 x 7]");
  CHECK(by_scales("float[0, 10] x", "float[2] s = {3, 0.01}") == "float32[0 x 0]");
}

TEST_CASE("scales that are fractions make formulas of symbols", "[ops]") {
  CHECK(by_scales("float[N, H] x", "float[2] s = {1, 2}") == "float32[N x 2*H]");
  CHECK(by_scales("float[N, H] x", "float[2] s = {0.5, 1.5}") ==
        "float32[floor(N/2) x (H + floor(H/2))]");
  CHECK(by_scales("float[N, H] x", "float[2] s = {0.33333334, 0.123456}") ==
        "float32[floor(N/3) x ?]");
}

TEST_CASE("sizes come as they are, or in proportion", "[ops]") {
  const auto sized = [](std::string_view attributes, std::string_view sizes) {
    const std::string node = "y = Resize <" + std::string(attributes) + "> (x, , , s)";
    return inferred({node, "float[1, 1, 480, 640] x", sizes});
  };
  CHECK(sized("mode = \"linear\"", "int64[4] s = {1, 1, 7, 8}") == "float32[1 x 1 x 7 x 8]");
  CHECK(sized("axes = [3, 2]", "int64[2] s = {7, 8}") == "float32[1 x 1 x 8 x 7]");
  CHECK(sized(R"(axes = [2, 3], keep_aspect_ratio_policy = "not_larger")",
              "int64[2] s = {100, 100}") == "float32[1 x 1 x 75 x 100]");
  CHECK(sized(R"(axes = [-2, -1], keep_aspect_ratio_policy = "not_smaller")",
              "int64[2] s = {100, 100}") == "float32[1 x 1 x 100 x 133]");
  CHECK(inferred({"s = Shape(z) y = Resize <axes = [1]> (x, , , s)",
                  "float[N, 3] x, float[M] z"}) == "float32[N x M]");
}

TEST_CASE("empty vectors stand for inputs left out", "[ops]") {
  CHECK(inferred({"y = Resize(x, r, e, s)", "float[2, 3] x",
                  "float[0] r = {}, float[0] e = {}, int64[2] s = {4, 5}", 11}) ==
        "float32[4 x 5]");
  CHECK(inferred({"y = Resize(x, r, e)", "float[2, 3] x", "float[0] r = {}, float[2] e = {2, 1}",
                  11}) == "float32[4 x 3]");
}

TEST_CASE("Upsample has its scales in three places", "[ops]") {
  CHECK(inferred({"y = Upsample <height_scale = 2.0, width_scale = 1.5> (x)", "float[1, 2, 3, 4] x",
                  "", 1}) == "float32[1 x 2 x 6 x 6]");
  CHECK(inferred({"y = Upsample <scales = [1.0, 3.0]> (x)", "float[N, W] x", "", 7}) ==
        "float32[N x 3*W]");
  CHECK(inferred({"y = Upsample(x, s)", "float[2, 3] x", "float[2] s = {1, 2}", 9}) ==
        "float32[2 x 6]");
}

TEST_CASE("scales and sizes that cannot be are refused", "[ops]") {
  const std::string_view image = "float[1, 1, 4, 4] x";
  CHECK(by_scales(image, "float[2] s = {1, 1}") == "invalid: 'scales' holds 2 numbers for 4 axes");
  CHECK(by_scales(image, "float[4] s = {1, 1, 0, 1}") ==
        "invalid: a scale is 0 (expected above 0)");
  CHECK_THAT(by_scales(image, "float[4] s = {1, 1, inf, 1}"), Catch::Contains("a scale is inf"));
  CHECK_THAT(by_scales(image, "float[4] s = {1, 1, 3e38, 1}"), Catch::Contains("too long"));
  CHECK_THAT(inferred({"y = Resize(x)", image}), Catch::Contains("none of 'scales' and 'sizes'"));
  CHECK_THAT(
      inferred({"y = Resize(x, , s, z)", "float[4] x", "float[1] s = {2}, int64[1] z = {8}"}),
      Catch::Contains("both of 'scales' and 'sizes'"));
  CHECK_THAT(inferred({"y = Resize(x, , , z)", "float[4] x", "int64[1] z = {-8}"}),
             Catch::Contains("'sizes' holds -8"));
  CHECK_THAT(
      inferred({"y = Resize <axes = [0, 0]> (x, , , z)", "float[4] x", "int64[2] z = {1, 1}"}),
      Catch::Contains("given twice"));
  CHECK_THAT(
      inferred({R"(y = Resize <mode = "area"> (x, , , z))", "float[4] x", "int64[1] z = {1}"}),
      Catch::Contains("nearest, linear, cubic"));
  CHECK_THAT(inferred({R"(y = Resize <keep_aspect_ratio_policy = "not_larger"> (x, , , z))",
                       "float[4, 0] x", "int64[2] z = {1, 1}"}),
             Catch::Contains("no aspect ratio"));
}

}  // namespace
}  // namespace ortool::test
