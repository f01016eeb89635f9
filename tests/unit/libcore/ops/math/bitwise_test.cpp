// Bitwise operators: broadcasting, types, and invalid shift directions.
#include <catch2/catch.hpp>

#include "tests/support/inferred.hpp"

namespace ortool::test {
namespace {

TEST_CASE("bitwise operators broadcast and keep the type", "[ops]") {
  CHECK(inferred({"y = BitwiseAnd(a, b)", "int16[N, 1] a, int16[3] b"}) == "int16[N x 3]");
  CHECK(inferred({"y = BitwiseNot(a)", "uint64 a"}) == "uint64[scalar]");
  CHECK_THAT(inferred({"y = BitwiseOr(a, b)", "int16[2] a, int32[2] b"}),
             Catch::StartsWith("invalid: "));
  CHECK_THAT(inferred({"y = BitwiseXor(a, b)", "int16[2] a, int16[3] b"}),
             Catch::StartsWith("invalid: "));
  CHECK_THAT(inferred({"y = BitwiseNot(a)", "float[2] a"}), Catch::StartsWith("invalid: "));
}

TEST_CASE("shifts have one of two directions, and signed integers since 28", "[ops]") {
  CHECK(inferred({R"(y = BitShift <direction = "LEFT"> (a, b))", "uint8[2, 3] a, uint8 b"}) ==
        "uint8[2 x 3]");
  CHECK(inferred({R"(y = BitShift <direction = "UP"> (a, b))", "uint8[2] a, uint8 b"}) ==
        "invalid: attribute 'direction' is 'UP' (expected one of LEFT, RIGHT)");
  CHECK(inferred({R"(y = BitShift <direction = "RIGHT"> (a, b))", "int8[2] a, int8 b"}) ==
        "int8[2]");
  CHECK_THAT(
      inferred({R"(y = BitShift <direction = "RIGHT"> (a, b))", "int8[2] a, int8 b", "", 27}),
      Catch::Contains("version 11"));
}

TEST_CASE("trigonometric functions take bfloat16 since 22 only", "[ops]") {
  CHECK(inferred({"y = Asinh(x)", "bfloat16[N] x", "", 22}) == "bfloat16[N]");
  CHECK_THAT(inferred({"y = Asinh(x)", "bfloat16[N] x", "", 21}), Catch::StartsWith("invalid: "));
  CHECK(inferred({"y = Tan(x)", "double[2, 0] x", "", 7}) == "float64[2 x 0]");
}

TEST_CASE("IsInf gives truth values and takes flags of 0 or 1", "[ops]") {
  CHECK(inferred({"y = IsInf <detect_negative = 0> (x)", "float[N, 2] x"}) == "bool[N x 2]");
  CHECK(inferred({"y = IsInf <detect_positive = 2> (x)", "float[2] x"}) ==
        "invalid: attribute 'detect_positive' is 2 (expected 0 or 1)");
}

}  // namespace
}  // namespace ortool::test
