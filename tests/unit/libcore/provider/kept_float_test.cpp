// Kept float: which nodes stay in float32 by their names, the names they replace, and their types.
#include "libcore/provider/kept_float.hpp"

#include <catch2/catch.hpp>

#include "libcore/optimize/rewrite/rewriter.hpp"
#include "libcore/text/parse.hpp"

namespace ortool {
namespace {

std::vector<std::string> kept_nodes(const Graph& graph, const KeepsFloat& keeps_float) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes()) {
    if (keeps_float(node)) names.emplace_back(node.name());
  }
  return names;
}

TEST_CASE("nodes stay in float32 by name, by original name and by operator", "[precision]") {
  const auto model = parse_model(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[3,3] x) => (float[3,3] y) {
      [first] a = MatMul (x, x)
      [middle] b = Relu (a)
      [last] y = MatMul (b, x)
    })");
  Graph& graph = *model->graph;
  using Names = std::vector<std::string>;
  CHECK(kept_nodes(graph, keep_matching({"fir*"}, {})) == Names{"first"});
  CHECK(kept_nodes(graph, keep_matching({"x", "?ast", "mid*"}, {})) == Names{"middle", "last"});
  CHECK(kept_nodes(graph, keep_matching({}, {"MatMul"})) == Names{"first", "last"});
  CHECK(kept_nodes(graph, keep_matching({}, {"MatMu"})).empty());
  CHECK(kept_nodes(graph, keep_matching({"first"}, {"Relu"})) == Names{"first", "middle"});
  for (Node& node : graph.nodes()) {
    if (node.name() != "last") continue;
    node.mutable_notes().metadata.emplace_back(std::string(origin_key), "product\nsum");
  }
  CHECK(kept_nodes(graph, keep_matching({"sum"}, {})) == Names{"last"});
  CHECK(keep_matching({}, {}) == nullptr);
}

}  // namespace
}  // namespace ortool
