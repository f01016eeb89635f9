// Quantized clusters: which nodes are measured together, and how they are bisected.
#include "libcore/quantize/search/quantized_clusters.hpp"

#include <catch2/catch.hpp>

#include "tests/support/inferred_model.hpp"
#include "tests/support/reported_node.hpp"

namespace ortool {
namespace {

MadePlan plan_of(std::vector<ReportedNode> nodes, const std::vector<std::string>& codes) {
  MadePlan plan;
  plan.nodes = std::move(nodes);
  for (const std::string& name : codes) {
    plan.chosen.emplace_back();
    plan.chosen.back().name = name;
  }
  return plan;
}

TEST_CASE("clusters are joined by levels, and what follows a node is one unit with it") {
  const MadePlan plan = plan_of({node_of("conv", "a", {"x"}), node_of("relu", "a", {"c"}),
                                 node_of("next", "b", {"a"}), node_of("other", "d", {"y"})},
                                {"x", "a", "b", "y", "d"});
  const std::vector<QuantizedCluster> clusters = clusters_of(plan);
  REQUIRE(clusters.size() == 2);
  const bool is_first = clusters[0].units.size() == 2;
  const QuantizedCluster& joined = clusters[is_first ? 0 : 1];
  REQUIRE(joined.units.size() == 2);
  CHECK(joined.units[0].nodes == std::vector<std::string>{"conv", "relu"});
  CHECK(joined.units[1].first == "next");
  CHECK(clusters[is_first ? 1 : 0].nodes() == std::vector<std::string>{"other"});
}

TEST_CASE("without levels, products of one value are joined, and no others") {
  const MadePlan plan =
      plan_of({node_of("q", "a", {"x"}), node_of("k", "b", {"x"}), node_of("out", "c", {"a"})}, {});
  const std::vector<QuantizedCluster> clusters = clusters_of(plan);
  REQUIRE(clusters.size() == 2);
  CHECK(clusters[0].nodes().size() + clusters[1].nodes().size() == 3);
  CHECK(clusters[0].nodes().size() != clusters[1].nodes().size());
}

TEST_CASE("halves keep the order and leave nothing out") {
  const QuantizedCluster cluster{{{"a", {"a", "b"}}, {"c", {"c"}}, {"d", {"d"}}}};
  const auto [first, second] = halves_of(cluster);
  CHECK(first.nodes() == std::vector<std::string>{"a", "b"});
  CHECK(second.nodes() == std::vector<std::string>{"c", "d"});
}

TEST_CASE("a cluster reads what others make, and makes what others read") {
  const auto model = inferred_model(
      "<ir_version: 8, opset_import: [\"\" : 17]>\n"
      "g (float[2] x, bool c) => (float[2] y, float[2] z)\n"
      "{ [n1] a = Exp (x) [n2] b = Neg (a) [n3] y = Abs (b) [n4] z = Sqrt (a) }");
  const auto edges = edges_of({{{"n2", {"n2"}}, {"n3", {"n3"}}}}, *model);
  REQUIRE(edges.has_value());
  CHECK(edges->inputs == std::vector<std::string>{"a"});
  CHECK(edges->outputs == std::vector<std::string>{"y"});
  CHECK_FALSE(edges_of({{{"in a body", {"in a body"}}}}, *model).has_value());
}

}  // namespace
}  // namespace ortool
