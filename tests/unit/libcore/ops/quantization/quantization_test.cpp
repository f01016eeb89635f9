// Quantization operators: output types, granularity of scales, and mismatched operands.
#include <catch2/catch.hpp>

#include "tests/support/inferred.hpp"

namespace ortool::test {
namespace {

TEST_CASE("quantized tensors take their type from the zero point, an attribute, or are uint8",
          "[ops]") {
  CHECK(inferred({"y = QuantizeLinear(x, s)", "float[N, 3] x, float s"}) == "uint8[N x 3]");
  CHECK(inferred({"y = QuantizeLinear(x, s, z)", "float[N, 3] x, float s, int4 z"}) ==
        "int4[N x 3]");
  CHECK(inferred({"y = QuantizeLinear <output_dtype = 17> (x, s)", "float[N, 3] x, float s"}) ==
        "float8e4m3fn[N x 3]");
  CHECK_THAT(inferred({"y = QuantizeLinear <output_dtype = 3> (x, s, z)",
                       "float[N, 3] x, float s, uint8 z"}),
             Catch::Contains("'y_zero_point' is uint8 (expected int8, as output_dtype says)"));
  CHECK_THAT(inferred({"y = QuantizeLinear <output_dtype = 1> (x, s)", "float[3] x, float s"}),
             Catch::Contains("'output_dtype' is float32"));
  CHECK_THAT(inferred({"y = QuantizeLinear <precision = 6> (x, s)", "float[3] x, float s"}),
             Catch::Contains("precision is int32"));
  CHECK_THAT(inferred({"y = QuantizeLinear(x, s)", "float16[3] x, float s", "", 21}),
             Catch::Contains("input 1 is float32, but another is float16"));
}

TEST_CASE("tensors that are dequantized take the scale's type, or an attribute's", "[ops]") {
  CHECK(inferred({"y = DequantizeLinear(x, s)", "int32[N] x, float s", "", 10}) == "float32[N]");
  CHECK(inferred({"y = DequantizeLinear(x, s)", "uint8[N] x, float16 s", "", 19}) == "float16[N]");
  CHECK(inferred({"y = DequantizeLinear <output_dtype = 16> (x, s)", "uint2[N] x, float s"}) ==
        "bfloat16[N]");
  CHECK_THAT(inferred({"y = DequantizeLinear(x, s)", "uint8[N] x, float8e8m0 s"}),
             Catch::Contains("'x_scale' is float8e8m0"));
  CHECK_THAT(inferred({"y = DequantizeLinear(x, s, z)", "uint8[N] x, float s, int8 z"}),
             Catch::Contains("input 2 is int8, but another is uint8"));
}

TEST_CASE("scales lie along an axis, or one a block", "[ops]") {
  const std::string_view along = "float[N, 3, 4] x, float[3] s, int8[3] z";
  CHECK(inferred({"y = QuantizeLinear(x, s, z)", along}) == "int8[N x 3 x 4]");
  CHECK(inferred({"y = QuantizeLinear <axis = -2> (x, s, z)", along, "", 13}) == "int8[N x 3 x 4]");
  CHECK_THAT(
      inferred({"y = QuantizeLinear <axis = 2> (x, s, z)", along}),
      Catch::Contains("'y_scale' has the shape 3 (expected one element or 4, the size of axis 2)"));
  CHECK_THAT(inferred({"y = QuantizeLinear <axis = 3> (x, s, z)", along}),
             Catch::Contains("axis 3"));
  CHECK_THAT(inferred({"y = QuantizeLinear(x, s)", "float[2, 3] x, float[3] s", "", 10}),
             Catch::Contains("'y_scale'"));
  // A vector has one axis, though the default is 1.
  CHECK(inferred({"y = QuantizeLinear(x, s)", "float[3] x, float[3] s"}) == "uint8[3]");
  CHECK(inferred({"y = DequantizeLinear <axis = 1, block_size = 2> (x, s)",
                  "int4[2, 5] x, float[2, 3] s"}) == "float32[2 x 5]");
  CHECK(inferred({"y = DequantizeLinear <axis = 1, block_size = 2> (x, s)",
                  "int4[N, 5] x, float[M, 3] s"}) == "float32[N x 5]");
  CHECK_THAT(inferred({"y = DequantizeLinear <axis = 1, block_size = 2> (x, s)",
                       "int4[2, 5] x, float[2, 2] s"}),
             Catch::Contains("'x_scale' has the shape 2 x 2 (expected 2 x 3 for blocks of 2)"));
  CHECK_THAT(inferred({"y = DequantizeLinear(x, s)", "int4[2, 5] x, float[2, 5] s"}),
             Catch::Contains("without block_size"));
  CHECK_THAT(inferred({"y = DequantizeLinear <block_size = -9223372036854775808> (x, s)",
                       "int4[2, 5] x, float[2, 5] s"}),
             Catch::Contains("block_size is -9223372036854775808"));
  CHECK_THAT(inferred({"y = QuantizeLinear(x, s, z)", "float[2, 3] x, float[3] s, int8 z"}),
             Catch::Contains("'y_zero_point' has the shape scalar (expected 3, as 'y_scale' has)"));
}

TEST_CASE("dynamic quantization gives bytes, a scale and a zero point", "[ops]") {
  CHECK(inferred({"y, s, z = DynamicQuantizeLinear(x)", "float[N, 3] x"}) ==
        "uint8[N x 3], float32[scalar], uint8[scalar]");
}

TEST_CASE("integer convolutions have the shape of convolutions", "[ops]") {
  CHECK(inferred({"y = ConvInteger <pads = [1, 1, 1, 1]> (x, w, xz, wz)",
                  "uint8[N, 3, H, 8] x, int8[4, 3, 3, 3] w, uint8 xz, int8[4] wz"}) ==
        "int32[N x 4 x H x 8]");
  CHECK_THAT(
      inferred({"y = ConvInteger(x, w, xz, wz)",
                "uint8[1, 3, 8, 8] x, int8[4, 3, 3, 3] w, uint8 xz, int8[3] wz"}),
      Catch::Contains("'w_zero_point' has the shape 3 (expected one element or a vector of 4)"));
  const std::string_view operands =
      "uint8[N, 4, 8, 8] x, float xs, uint8 xz, int8[6, 2, 3, 3] w, float[6] ws, int8[6] wz, "
      "float ys, int8 yz, int32[6] b";
  CHECK(inferred({"y = QLinearConv <group = 2> (x, xs, xz, w, ws, wz, ys, yz, b)", operands}) ==
        "int8[N x 6 x 6 x 6]");
  CHECK_THAT(inferred({"y = QLinearConv <group = 4> (x, xs, xz, w, ws, wz, ys, yz, b)", operands}),
             Catch::Contains("the number of channels of 'X' is 4 (expected 8)"));
}

TEST_CASE("integer products have the shape of products", "[ops]") {
  CHECK(inferred({"y = MatMulInteger(a, b, az, bz)",
                  "uint8[N, 2, 3] a, int8[3, 4] b, uint8[2] az, int8[4] bz"}) ==
        "int32[N x 2 x 4]");
  CHECK_THAT(inferred({"y = MatMulInteger(a, b, az)", "uint8[2, 3] a, int8[3, 4] b, uint8[3] az"}),
             Catch::Contains("'a_zero_point' has the shape 3 (expected one element or 2)"));
  CHECK_THAT(inferred({"y = MatMulInteger(a, b)", "uint8[2, 3] a, int8[4, 4] b"}),
             Catch::Contains("inner dimension"));
  CHECK(inferred({"y = QLinearMatMul(a, as, az, b, bs, bz, ys, yz)",
                  "uint8[5, 2, 3] a, float16[5, 2, 1] as, uint8[5, 2, 1] az, int8[3, 4] b, "
                  "float16 bs, int8 bz, float16 ys, int8 yz"}) == "int8[5 x 2 x 4]");
  CHECK_THAT(inferred({"y = QLinearMatMul(a, as, az, b, bs, bz, ys, yz)",
                       "uint8[2, 3] a, float16 as, uint8 az, int8[3, 4] b, float bs, int8 bz, "
                       "float16 ys, int8 yz"}),
             Catch::Contains("input 4 is float32, but another is float16"));
}

}  // namespace
}  // namespace ortool::test
