// Tree ensembles of files: output shapes, and every way their tables can be broken.
#include "libcore/ops/ml/trees/tree_ensemble.hpp"

#include <map>
#include <string>

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/check_node.hpp"
#include "libcore/text/parse.hpp"
#include "tests/support/inferred.hpp"

namespace ortool::test {
namespace {

using Attributes = std::map<std::string, std::string>;

/// A root and two leaves that vote for targets 0 and 1.
const Attributes stump = {{"nodes_treeids", "[7, 7, 7]"},
                          {"nodes_nodeids", "[0, 1, 2]"},
                          {"nodes_featureids", "[1, 0, 0]"},
                          {"nodes_values", "[0.5, 0.0, 0.0]"},
                          {"nodes_modes", "[\"BRANCH_LT\", \"LEAF\", \"LEAF\"]"},
                          {"nodes_truenodeids", "[1, 0, 0]"},
                          {"nodes_falsenodeids", "[2, 0, 0]"},
                          {"target_treeids", "[7, 7, 7]"},
                          {"target_nodeids", "[2, 1, 2]"},
                          {"target_ids", "[1, 0, 0]"},
                          {"target_weights", "[2.0, 3.0, 4.0]"},
                          {"n_targets", "2"}};

/// The same for version 5.
const Attributes indexed = {{"nodes_modes", "uint8[2] {1, 6}"},
                            {"nodes_splits", "float[2] {0.5, 0}"},
                            {"nodes_featureids", "[1, 2]"},
                            {"nodes_truenodeids", "[0, 1]"},
                            {"nodes_trueleafs", "[1, 1]"},
                            {"nodes_falsenodeids", "[1, 0]"},
                            {"nodes_falseleafs", "[0, 1]"},
                            {"membership_values", "float[3] {3, 4, nan}"},
                            {"leaf_targetids", "[1, 0]"},
                            {"leaf_weights", "float[2] {10, 20}"},
                            {"tree_roots", "[0]"},
                            {"n_targets", "2"}};

std::string node_text(std::string_view op, Attributes attributes, const Attributes& changes) {
  for (const auto& [name, value] : changes) {
    attributes[name] = value;
    if (value.empty()) attributes.erase(name);
  }
  std::string text;
  for (const auto& [name, value] : attributes)
    text += (text.empty() ? "" : ", ") + name + " = " + value;
  return "y = ai.onnx.ml." + std::string(op) + " <" + text + "> (x)";
}

std::string regress(const Attributes& changes, std::string_view input = "float[N, 3] x") {
  return inferred({.nodes = node_text("TreeEnsembleRegressor", stump, changes),
                   .inputs = input,
                   .ml_opset = 3});
}

std::string ensemble(const Attributes& changes, std::string_view input = "float[N, 3] x") {
  return inferred({node_text("TreeEnsemble", indexed, changes), input});
}

void check_ensemble_refused(const std::string& answer, const std::string& part) {
  CHECK_THAT(answer, Catch::StartsWith("invalid: ") && Catch::Contains(part));
}

template <typename Op>
Op read_text(const std::string& node, int ml_opset) {
  const auto graph =
      parse_graph("g (float[N, 3] x) => () { " + node + " }", {{"", 20}, {"ai.onnx.ml", ml_opset}});
  check_node(*graph->first_node());
  return read_op<Op>(*graph->first_node());
}

TEST_CASE("forests give a row of targets an example", "[ops]") {
  CHECK(regress({}) == "float32[N x 2]");
  CHECK(regress({}, "double[4, 3] x") == "float32[4 x 2]");
  CHECK(regress({}, "float[3] x") == "float32[1 x 2]");
  CHECK(ensemble({}) == "float32[N x 2]");
  const Attributes as_classes = {
      {"target_treeids", ""},     {"target_nodeids", ""},
      {"target_ids", ""},         {"target_weights", ""},
      {"n_targets", ""},          {"class_treeids", "[7]"},
      {"class_nodeids", "[1]"},   {"class_ids", "[2]"},
      {"class_weights", "[1.0]"}, {"classlabels_strings", "[\"a\", \"b\", \"c\"]"}};
  const std::string node = node_text("TreeEnsembleClassifier", stump, as_classes);
  CHECK(inferred({.nodes = "l, " + node, .inputs = "float[N, 3] x", .ml_opset = 1}) ==
        "string[N], float32[N x 3]");
}

TEST_CASE("listed rows become nodes and leaves with their votes in order", "[ops]") {
  const auto op =
      read_text<TreeEnsembleRegressor>(node_text("TreeEnsembleRegressor", stump, {}), 1);
  REQUIRE(op.trees.nodes.size() == 1);
  REQUIRE(op.trees.leaf_count() == 2);
  REQUIRE(op.trees.roots.size() == 1);
  CHECK_FALSE(op.trees.roots[0].is_leaf);
  const TreeNode& root = op.trees.nodes[0];
  CHECK(root.comparison == TreeComparison::less);
  CHECK(root.feature == 1);
  CHECK(root.on_true.is_leaf);
  CHECK(root.on_true.index == 0);
  CHECK(root.on_false.index == 1);
  CHECK(op.trees.vote_begins == std::vector<std::int64_t>{0, 1, 3});
  CHECK(op.trees.votes[1].weight == 2.0);
  CHECK(op.trees.votes[2].weight == 4.0);
  CHECK(op.trees.feature_limit == 2);
}

TEST_CASE("a tree may be a leaf alone, and branches may meet again", "[ops]") {
  const Attributes alone = {
      {"nodes_treeids", "[0]"},       {"nodes_nodeids", "[5]"},      {"nodes_featureids", "[-9]"},
      {"nodes_values", "[0.0]"},      {"nodes_modes", "[\"LEAF\"]"}, {"nodes_truenodeids", "[99]"},
      {"nodes_falsenodeids", "[99]"}, {"target_treeids", "[0]"},     {"target_nodeids", "[5]"},
      {"target_ids", "[0]"},          {"target_weights", "[1.0]"}};
  CHECK(regress(alone) == "float32[N x 2]");
  const auto op =
      read_text<TreeEnsembleRegressor>(node_text("TreeEnsembleRegressor", stump, alone), 1);
  REQUIRE(op.trees.roots.size() == 1);
  CHECK(op.trees.roots[0].is_leaf);
  CHECK(regress({{"nodes_falsenodeids", "[1, 0, 0]"}}) == "float32[N x 2]");
}

TEST_CASE("broken tables of listed trees are refused", "[ops]") {
  check_ensemble_refused(regress({{"nodes_truenodeids", "[1, 0]"}}),
                         "'nodes_truenodeids' has 2 elements (expected 3");
  check_ensemble_refused(regress({{"nodes_modes", "[\"BRANCH_LT\"]"}}),
                         "'nodes_modes' has 1 elements");
  check_ensemble_refused(regress({{"nodes_modes", "[\"BRANCH_LT\", \"TWIG\", \"LEAF\"]"}}),
                         "'nodes_modes' is 'TWIG' (expected one of BRANCH_LEQ");
  check_ensemble_refused(regress({{"nodes_nodeids", "[0, 1, 1]"}}),
                         "node 1 of tree 7 is given twice");
  check_ensemble_refused(regress({{"nodes_truenodeids", "[4, 0, 0]"}}),
                         "the true branch of tree 7 refers to node 4, which does not exist");
  check_ensemble_refused(regress({{"nodes_truenodeids", "[0, 0, 0]"}}), "form a cycle");
  check_ensemble_refused(regress({{"nodes_featureids", "[-1, 0, 0]"}}), "reads feature -1");
  check_ensemble_refused(regress({{"nodes_featureids", "[3, 0, 0]"}}),
                         "has 3 features (expected at least 4");
  check_ensemble_refused(regress({{"nodes_featureids", "[9223372036854775807, 0, 0]"}}),
                         "reads feature");
  check_ensemble_refused(regress({{"target_ids", "[2, 0, 0]"}}), "votes for 2 of 2 targets");
  check_ensemble_refused(regress({{"target_ids", "[-1, 0, 0]"}}), "votes for -1");
  check_ensemble_refused(regress({{"target_nodeids", "[3, 1, 2]"}}),
                         "a vote of tree 7 refers to node 3");
  check_ensemble_refused(regress({{"target_treeids", "[7, 8, 7]"}}),
                         "a vote of tree 8 refers to node 1");
  check_ensemble_refused(regress({{"target_weights", "[1.0]"}}), "'target_weights' has 1 elements");
  check_ensemble_refused(regress({{"n_targets", "0"}}), "n_targets is 0");
  check_ensemble_refused(regress({{"n_targets", ""}}), "n_targets is 0");
  check_ensemble_refused(regress({{"base_values", "[1.0]"}}),
                         "'base_values' has 1 elements (expected 2");
  check_ensemble_refused(regress({{"aggregate_function", "\"MEDIAN\""}}),
                         "'aggregate_function' is 'MEDIAN'");
  check_ensemble_refused(regress({{"post_transform", "\"none\""}}), "'post_transform' is 'none'");
  check_ensemble_refused(regress({{"nodes_values_as_tensor", "double[3] {1, 2, 3}"}}),
                         "both 'nodes_values'");
  check_ensemble_refused(
      regress({{"nodes_values", ""}, {"nodes_values_as_tensor", "int64[3] {1, 2, 3}"}}),
      "'nodes_values_as_tensor' is int64");
  check_ensemble_refused(regress({}, "float[2, 3, 4] x"), "expected a matrix or a vector");
}

TEST_CASE("cycles far from the root and apart from it are found", "[ops]") {
  const Attributes chain = {
      {"nodes_treeids", "[0, 0, 0, 0]"},
      {"nodes_nodeids", "[0, 1, 2, 3]"},
      {"nodes_featureids", "[0, 0, 0, 0]"},
      {"nodes_values", "[0.0, 0.0, 0.0, 0.0]"},
      {"nodes_modes", "[\"BRANCH_LEQ\", \"BRANCH_LEQ\", \"BRANCH_LEQ\", \"LEAF\"]"},
      {"nodes_truenodeids", "[3, 2, 1, 0]"},
      {"nodes_falsenodeids", "[3, 3, 3, 0]"},
      {"target_treeids", "[0]"},
      {"target_nodeids", "[3]"},
      {"target_ids", "[0]"},
      {"target_weights", "[1.0]"}};
  check_ensemble_refused(regress(chain), "form a cycle");
}

TEST_CASE("indexed trees keep sets for the nodes that test membership", "[ops]") {
  const auto op = read_text<TreeEnsemble>(node_text("TreeEnsemble", indexed, {}), 5);
  REQUIRE(op.trees.member_sets.size() == 1);
  CHECK(op.trees.member_sets[0] == std::vector<double>{3, 4});
  CHECK(op.trees.nodes[1].member_set == 0);
  CHECK(op.trees.nodes[0].on_false.index == 1);
  CHECK_FALSE(op.trees.nodes[0].on_false.is_leaf);
  CHECK(op.trees.votes[1].weight == 20.0);
}

TEST_CASE("broken tables of indexed trees are refused", "[ops]") {
  check_ensemble_refused(ensemble({{"nodes_splits", "float[1] {0.5}"}}),
                         "'nodes_splits' has 1 elements");
  check_ensemble_refused(ensemble({{"nodes_splits", "int32[2] {0, 1}"}}),
                         "'nodes_splits' is int32");
  check_ensemble_refused(ensemble({{"nodes_modes", "uint8[2] {1, 7}"}}), "nodes_modes holds 7");
  check_ensemble_refused(ensemble({{"nodes_modes", "int64[2] {1, 6}"}}), "'nodes_modes' is int64");
  check_ensemble_refused(ensemble({{"nodes_modes", "uint8[2] {1, 1}"}}),
                         "'membership_values' has 1 elements (expected 0, sets");
  check_ensemble_refused(ensemble({{"membership_values", ""}}),
                         "'membership_values' has 0 elements");
  check_ensemble_refused(ensemble({{"nodes_falsenodeids", "[2, 0]"}}),
                         "nodes_falsenodeids of node 0 is 2");
  check_ensemble_refused(ensemble({{"nodes_falsenodeids", "[-1, 0]"}}),
                         "nodes_falsenodeids of node 0 is -1");
  check_ensemble_refused(ensemble({{"nodes_truenodeids", "[0, 2]"}}),
                         "nodes_truenodeids of node 1 is 2");
  check_ensemble_refused(ensemble({{"nodes_trueleafs", "[1, 2]"}}), "its kind 2");
  check_ensemble_refused(ensemble({{"nodes_falsenodeids", "[0, 0]"}}), "form a cycle");
  check_ensemble_refused(ensemble({{"tree_roots", "[2]"}}), "tree_roots holds 2");
  check_ensemble_refused(ensemble({{"tree_roots", "[-1]"}}), "tree_roots holds -1");
  check_ensemble_refused(ensemble({{"leaf_targetids", "[1]"}}),
                         "'leaf_weights' has 2 elements (expected 1");
  check_ensemble_refused(ensemble({{"leaf_targetids", "[2, 0]"}}), "votes for 2 of 2");
  check_ensemble_refused(ensemble({{"leaf_weights", "double[2] {1, 2}"}}),
                         "leaf_weights is float64");
  check_ensemble_refused(ensemble({{"aggregate_function", "4"}}), "aggregate_function is 4");
  check_ensemble_refused(ensemble({{"post_transform", "-1"}}), "post_transform is -1");
  check_ensemble_refused(ensemble({}, "double[N, 3] x"), "the input is float64");
  check_ensemble_refused(ensemble({}, "float[N, 2] x"), "has 2 features (expected at least 3");
}

}  // namespace
}  // namespace ortool::test
