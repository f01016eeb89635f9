// Tests of weight statistics.
#include "libcore/inspect/weight_statistics.hpp"

#include <limits>

#include <catch2/catch.hpp>

#include "libcore/inspect/value_statistics.hpp"
#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

TEST_CASE("zeros, denormals and what is not finite are counted", "[inspect]") {
  using Limits = std::numeric_limits<float>;
  const Tensor tensor = Tensor::of<float>({7}, {0.0F, -0.0F, Limits::denorm_min(), -1e-40F,
                                                Limits::quiet_NaN(), Limits::infinity(), 1});
  const WeightStatistics statistics = scan_weight(tensor);
  CHECK(statistics.zeros == 2);
  CHECK(statistics.denormals == 2);
  CHECK(statistics.nans == 1);
  CHECK(statistics.infinities == 1);
}

TEST_CASE("counts go past what a piece holds", "[inspect]") {
  Tensor tensor(DataType::float16, Shape{700000});
  for (std::uint16_t& bits : tensor.mutable_data<std::uint16_t>()) bits = 1;
  CHECK(scan_weight(tensor).denormals == 700000);
}

TEST_CASE("weights of the same type, shape and content are one group", "[inspect]") {
  const auto model = inferred_model(
      "<ir_version: 10, opset_import: [\"\": 20]> g (float[2] x) => (float[2] y) "
      "<float[2] a = {1, 2}, float[2] b = {1, 2}, float[1, 2] c = {1, 2}, float[2] d = {1, 2}> "
      "{ e = Sum (x, a, b, d)  y = Add (e, c) }");
  const std::vector<Weight> weights = weights_of(*model);
  std::vector<WeightStatistics> statistics;
  for (const Weight& weight : weights) statistics.push_back(scan_weight(*weight.tensor));
  const std::vector<DuplicateGroup> groups = find_duplicates(weights, statistics);
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].weights.size() == 3);
  CHECK(groups[0].wasted_bytes == 16);
}

TEST_CASE("statistics of values join over tensors and name what may go wrong", "[inspect]") {
  ValueStatistics statistics;
  statistics.add(Tensor::of<float>({4}, {0, 1, 2, 3}));
  statistics.add(Tensor::of<float>({2}, {4, 70000}));
  CHECK(statistics.count() == 6);
  CHECK(statistics.max() == 70000);
  CHECK(statistics.mean() == Approx(70010.0 / 6));
  CHECK(statistics.std() == Approx(26083.8).epsilon(0.001));
  REQUIRE(statistics.risks().size() == 1);
  CHECK(statistics.risks()[0] == "float16 overflows: up to 70000");

  ValueStatistics bytes;
  bytes.add(Tensor::of<std::int8_t>({4}, {127, 127, -128, 0}));
  CHECK(bytes.end_share() == Approx(0.75));
  REQUIRE(bytes.risks().size() == 1);
  CHECK(bytes.risks()[0] == "75 % at the ends of int8");
}

}  // namespace
}  // namespace ortool
