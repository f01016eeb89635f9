// Candidates: which node of a plan adds most noise, and the significance of flips.
#include "libcore/quantize/search/candidate.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "libcore/quantize/search/validation.hpp"
#include "tests/support/reported_node.hpp"

namespace ortool {
namespace {

/// The error of a value of ones that is off by sqrt(`noise`).
ValueError error_of(const std::string& value, float noise) {
  ValueError error;
  error.value = value;
  error.sums.add(Tensor::of<float>({1}, {1 + std::sqrt(noise)}), Tensor::of<float>({1}, {1}));
  return error;
}

TEST_CASE("the noisiest unit is the one that adds most, not the one that has most") {
  MadePlan plan;
  plan.nodes = {node_of("a", "p", {"x"}), node_of("b", "q", {"p"}), node_of("c", "r", {"q"})};
  EndToEnd compared;
  compared.values = {error_of("p", 0.01F), error_of("q", 0.2F), error_of("r", 0.25F)};
  const std::vector<Unit> units = units_by_noise(plan, compared);
  REQUIRE(units.size() == 3);
  CHECK(units[0].plan_name == "b");
  CHECK(units[0].added_noise == Approx(0.19).margin(1e-3));
  CHECK(units[1].plan_name == "c");
}

TEST_CASE("what is computed together with the node before it is no unit of its own") {
  MadePlan plan;
  plan.nodes = {node_of("conv", "q", {"x"}), node_of("relu", "q", {"p"}), node_of("d", "r", {"q"})};
  plan.nodes.back().is_quantized = false;
  const std::vector<Unit> units = units_of(plan);
  REQUIRE(units.size() == 1);
  CHECK(units.front().plan_name == "conv");
}

TEST_CASE("outputs that agree, and those that were not compared, are not the worst") {
  CHECK(std::isinf(worst_sqnr_db({})));
  std::vector<OutputError> outputs(2);
  outputs[0].sums.add(Tensor::of<float>({1}, {1.1F}), Tensor::of<float>({1}, {1}));
  CHECK(worst_sqnr_db(outputs) == Approx(20).margin(1e-3));
}

TEST_CASE("flips are as likely as McNemar's exact test says") {
  CHECK(mcnemar_chance(0, 0) == 1);
  CHECK(mcnemar_chance(3, 3) == 1);
  CHECK(mcnemar_chance(1, 5) == Approx(14.0 / 64));
  CHECK(mcnemar_chance(10, 0) == Approx(2.0 / 1024));
}

}  // namespace
}  // namespace ortool
