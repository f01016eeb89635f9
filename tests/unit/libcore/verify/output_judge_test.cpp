// Output tolerances: for outputs computed in 16-bit floats, and for others beside them.
#include "libcore/verify/output_judge.hpp"

#include <limits>

#include <catch2/catch.hpp>

namespace ortool {
namespace {

RunValue numbers(float first, float second) {
  return RunValue(Tensor::of<float>({2}, {first, second}));
}

TEST_CASE("float32 outputs are held to float16 where these computed them, and only there",
          "[run]") {
  Judge judge;
  const RunValue expected = numbers(1.0F, -100.0F);
  const RunValue near = numbers(1.1F, -101.0F);
  CHECK_FALSE(judge.compare_output("half", near, expected).has_passed);
  CHECK_FALSE(judge.expect_fp16({"half"}).empty());
  CHECK(judge.compare_output("half", near, expected).has_passed);
  CHECK_FALSE(judge.compare_output("wide", near, expected).has_passed);
  CHECK_FALSE(judge.compare_output("half", numbers(1.0F, -103.0F), expected).has_passed);
}

TEST_CASE("16-bit floats change nothing where bits must be equal", "[run]") {
  Judge judge;
  judge.expect_equal(0, 0);
  CHECK(judge.expect_fp16({"half"}).empty());
  CHECK_FALSE(judge.compare_output("half", numbers(1.0F, 2.0F), numbers(1.0F, 2.0001F)).has_passed);
}

TEST_CASE("16-bit floats count where forms of a model are compared more strictly", "[run]") {
  Judge judge;
  judge.expect_equal(1e-4, 1e-5);
  CHECK_FALSE(judge.expect_fp16({"half"}).empty());
  CHECK(judge.compare_output("half", numbers(1.0F, 2.02F), numbers(1.0F, 2.0F)).has_passed);
  CHECK_FALSE(judge.compare_output("wide", numbers(1.0F, 2.02F), numbers(1.0F, 2.0F)).has_passed);
}

TEST_CASE("the largest element of a quantized model's cache is no class", "[run]") {
  Judge judge;
  CHECK(judge.expect_quantized({"present.0.key"}));
  const RunValue expected = numbers(1.0F, 1.01F);
  const RunValue near = numbers(1.01F, 1.0F);
  CHECK(judge.compare_output("present.0.key", near, expected).has_passed);
  CHECK_FALSE(judge.compare_output("logits", near, expected).has_passed);
  CHECK_FALSE(judge.compare_output("present.0.key", numbers(1.0F, -1.0F), expected).has_passed);
}

TEST_CASE("NaN is never the top class", "[run]") {
  const Judge judge({.is_same_top1 = true});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK_FALSE(judge.compare_output("y", numbers(nan, 1.0F), numbers(2.0F, 1.0F)).has_passed);
  CHECK_FALSE(judge.compare_output("y", numbers(nan, nan), numbers(2.0F, 1.0F)).has_passed);
}

}  // namespace
}  // namespace ortool
