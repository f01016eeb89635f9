// Random inputs of a model: which ones, their sizes, and that they are reproducible.
#include "libcore/api/random_inputs.hpp"

#include <catch2/catch.hpp>

#include "libcore/text/parse.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {

TEST_CASE("inputs without a default are random, with sizes that they share") {
  const auto model = parse_model(
      "<ir_version: 8, opset_import: [\"\" : 18]> g (float[n, 3] x, float[n, m] z) =>"
      " (float[n, 3] y) { y = Relu (x) }");
  MemoryCap memory;
  const RandomInputs made = make_random_inputs(
      *model, {.seed = 7, .ranges = {{"z", {5, 6}}}, .sizes = {{"n", 4}}}, 0, memory);
  REQUIRE(made.values.size() == 2);
  CHECK(made.values[0].first == "x");
  CHECK(made.values[0].second.tensor().shape() == Shape{4, 3});
  CHECK(made.values[1].second.tensor().shape() == Shape{4, 1});
  for (const float number : made.values[1].second.tensor().data<float>()) {
    CHECK(number >= 5);
    CHECK(number < 6);
  }
  REQUIRE(made.taken_as_1.size() == 1);
  CHECK_THAT(made.taken_as_1.front(), Catch::Contains("m"));
}

TEST_CASE("inputs are the same for the same index, and others for another") {
  const auto model = parse_model(
      "<ir_version: 8, opset_import: [\"\" : 18]> g (float[8] x) => (float[8] y) { y = Relu (x) }");
  MemoryCap memory;
  const auto tensor_of = [&](std::int64_t index) {
    return make_random_inputs(*model, {}, index, memory).values.front().second.tensor();
  };
  CHECK(same_bits(tensor_of(1), tensor_of(1)));
  CHECK_FALSE(same_bits(tensor_of(1), tensor_of(2)));
}

}  // namespace ortool
