// Evaluation of candidates with known noise.
#include "libcore/quantize/search/sqnr_judge.hpp"

#include <catch2/catch.hpp>

#include "tests/support/quantize_call.hpp"

namespace ortool {
namespace {

constexpr const char* straight =
    "<ir_version: 8, opset_import: [\"\" : 17]>\n"
    "g (float[2] x) => (float[2] y, float[2] z) { y = Neg (x) z = Abs (x) }";

/// One output is a tenth too large (20 dB), the other a hundredth (40 dB).
constexpr const char* noisy =
    "<ir_version: 8, opset_import: [\"\" : 17]>\n"
    "g (float[2] x) => (float[2] y, float[2] z)\n"
    "<float tenth = {1.1}, float hundredth = {1.01}>\n"
    "{ a = Neg (x) y = Mul (a, hundredth) b = Abs (x) z = Mul (b, tenth) }";

constexpr const char* scored =
    "<ir_version: 8, opset_import: [\"\" : 17]>\n"
    "g (float[2] x) => (float[2] y) { a = Neg (x) y = Softmax (a) }";

constexpr const char* badly_scored =
    "<ir_version: 8, opset_import: [\"\" : 17]>\n"
    "g (float[2] x) => (float[2] y) <float tenth = {1.1}>\n"
    "{ a = Neg (x) b = Mul (a, tenth) y = Softmax (b) }";

std::vector<Tensor> samples(std::size_t count) {
  std::vector<Tensor> made;
  for (unsigned i = 0; i < count; ++i) made.push_back(random_tensor({2}, i));
  return made;
}

TEST_CASE("a form is worth what its worst output is, sample by sample") {
  test::QuantizeCall call(straight, samples(3));
  const SqnrJudge judge(call.context(), call.model(), call.floats(), call.data());
  CHECK_FALSE(judge.is_apart());
  const SampleRatios ratios = judge.judge(*inferred_model(noisy));
  REQUIRE(ratios.size() == 3);
  for (const double ratio : ratios) CHECK(ratio == Approx(20).margin(0.01));
}

TEST_CASE("a form that agrees wholly is worth 150 dB, and no more") {
  test::QuantizeCall call(straight, samples(1));
  const SqnrJudge judge(call.context(), call.model(), call.floats(), call.data());
  CHECK(judge.judge(call.model()) == SampleRatios{150});
}

TEST_CASE("where samples are held back, what a last Softmax reads is judged, on every fifth") {
  test::QuantizeCall many(scored, samples(20));
  const SqnrJudge judge(many.context(), many.model(), many.floats(), many.data());
  CHECK(judge.is_apart());
  const SampleRatios ratios = judge.judge(*inferred_model(badly_scored));
  REQUIRE(ratios.size() == 4);
  for (const double ratio : ratios) CHECK(ratio == Approx(20).margin(0.01));
}

TEST_CASE("where none are held back, outputs are judged as they are") {
  test::QuantizeCall few(scored, samples(2));
  const SqnrJudge judge(few.context(), few.model(), few.floats(), few.data());
  const SampleRatios ratios = judge.judge(*inferred_model(badly_scored));
  REQUIRE(ratios.size() == 2);
  for (const double ratio : ratios) CHECK(ratio > 25);
}

}  // namespace
}  // namespace ortool
