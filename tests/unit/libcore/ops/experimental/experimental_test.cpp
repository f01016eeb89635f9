// Experimental operators that ONNX removed and old files still have.
#include <catch2/catch.hpp>

#include "tests/support/inferred.hpp"

namespace ortool::test {
namespace {

std::string old(std::string_view node, std::string_view inputs = "") {
  return inferred({node, inputs, "", 7});
}

void check_refused(const std::string& answer, const std::string& part) {
  CHECK_THAT(answer, Catch::StartsWith("invalid: ") && Catch::Contains(part));
}

TEST_CASE("removed functions of one number keep the shape", "[ops]") {
  CHECK(old("y = Affine <alpha = 2.0> (x)", "float[N, 3] x") == "float32[N x 3]");
  CHECK(old("y = Scale(x)", "float16[N] x") == "float16[N]");
  CHECK(old("y = ThresholdedRelu(x)", "float[N] x") == "float32[N]");
  CHECK(old("y = ScaledTanh <alpha = 1.0, beta = 1.0> (x)", "float[N] x") == "float32[N]");
  check_refused(old("y = ScaledTanh <alpha = 1.0> (x)", "float[N] x"), "'beta' is missing");
  check_refused(old("y = ParametricSoftplus(x)", "float[N] x"), "'alpha' is missing");
  check_refused(old("y = Affine(x)", "int64[N] x"), "int64");
  CHECK(old("y = ImageScaler <bias = [1.0, 2.0]> (x)", "float[N, 2, H, W] x") ==
        "float32[N x 2 x H x W]");
  check_refused(old("y = ImageScaler <bias = [1.0, 2.0]> (x)", "float[N, 3, H, W] x"),
                "the number of channels is 3 (expected 2)");
  CHECK(old("y = GRUUnit(h, g, l, t)", "float[N, 8] h, float[N, 24] g, float[N] l, float[1] t") ==
        "float32[N x 8]");
}

TEST_CASE("images are cropped by borders or to a size", "[ops]") {
  CHECK(old("y = Crop <border = [1, 2, 3, 4]> (x)", "float[N, 3, 20, W] x") ==
        "float32[N x 3 x 14 x (W - 4)]");
  CHECK(old("y = Crop <border = [1, 2, 0, 0], scale = [5, 6]> (x)", "float[N, 3, 20, W] x") ==
        "float32[N x 3 x 5 x 6]");
  check_refused(old("y = Crop <border = [1, 2, 3]> (x)", "float[N, 3, 20, W] x"), "has 3 elements");
  check_refused(old("y = Crop <border = [0, 30, 0, 0]> (x)", "float[N, 3, 20, W] x"),
                "cannot crop 30 pixels from 20");
  check_refused(old("y = Crop <border = [0, -1, 0, 0]> (x)", "float[N, 3, 20, W] x"), "holds -1");
  check_refused(old("y = Crop <border = [0, 9223372036854775807, 0, 9223372036854775807]> (x)",
                    "float[N, 3, 20, W] x"),
                "too large");
  check_refused(old("y = Crop(x)", "float[N, 3, 20] x"), "of rank 3 (expected 4)");
}

TEST_CASE("fills take their shape from an attribute or an input", "[ops]") {
  CHECK(old("y = ConstantFill <shape = [2, 3], dtype = 7> ()") == "int64[2 x 3]");
  CHECK(old("y = ConstantFill <extra_shape = [5]> (x)", "int32[N] x") == "float32[N x 5]");
  CHECK(inferred({"y = ConstantFill <input_as_shape = 1, extra_shape = [5]> (x)", "",
                  "int64[2] x = {3, 4}", 7}) == "float32[3 x 4 x 5]");
  CHECK(old("y = ConstantFill <input_as_shape = 1> (x)", "int64[2] x") == "float32[? x ?]");
  check_refused(old("y = ConstantFill()"), "neither an input nor attribute 'shape'");
  check_refused(old("y = ConstantFill <shape = [1]> (x)", "int32[N] x"), "both an input and");
  check_refused(old("y = ConstantFill <shape = [1], dtype = 11> ()"), "dtype is 11");
  check_refused(old("y = ConstantFill <shape = [-1]> ()"), "-1");
  CHECK_THAT(old("y = ConstantFill <shape = [4294967296, 4294967296]> ()"),
             Catch::StartsWith("invalid: "));
  CHECK(old("y = GivenTensorFill <shape = [2], values = [1.0, 2.0]> ()") == "float32[2]");
  check_refused(old("y = GivenTensorFill <shape = [3], values = [1.0, 2.0]> ()"),
                "2 values for 3 elements");
}

TEST_CASE("operators of other frameworks pass with any attributes", "[ops]") {
  CHECK(old("y = ATen <operator = \"index\", depth = 3> (x, i)", "float[N] x, int64[2] i") ==
        "unknown");
}

}  // namespace
}  // namespace ortool::test
