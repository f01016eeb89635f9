// Placement: which provider gets a node if several claim it or nodes are pinned to one.
#include "libcore/lower/place.hpp"

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/text/parse.hpp"

using namespace ortool;

namespace {

/// Claims every node, in pairs of neighbors where it can, and compiles none.
class Greedy : public Provider {
 public:
  Greedy(std::string name, bool takes_pairs) : name_(std::move(name)), takes_pairs_(takes_pairs) {}

  std::string_view name() const override { return name_; }
  std::string version() const override { return "0"; }
  Claims claims(const Graph& graph) const override {
    Claims claims;
    for (const Node& node : graph.nodes()) {
      if (claims.taken.empty() || !takes_pairs_ || claims.taken.back().members.size() == 2) {
        claims.taken.emplace_back();
      }
      claims.taken.back().members.push_back(&node);
    }
    return claims;
  }
  KernelPtr compile(const NodeView&, const CompileContext&) const override { return nullptr; }
  std::vector<KernelDescription> kernels() const override { return {}; }

 private:
  std::string name_;
  bool takes_pairs_;
};

/// "name: provider (members)" of each group, in order.
std::vector<std::string> placed(const Graph& graph, bool takes_pairs, bool fuse,
                                const PinnedProvider& pinned) {
  const std::vector<std::shared_ptr<const Provider>> providers = {
      std::make_shared<Greedy>("first", takes_pairs),
      std::make_shared<Greedy>("last", takes_pairs)};
  std::vector<std::string> rows;
  const PlacedGraphs graphs = place(graph, providers, false, fuse, pinned);
  for (const PlacedGroup& group : graphs.at(&graph)) {
    std::string row(group.provider->name());
    for (const Node* node : group.view.members()) row += " " + std::string(node->op_type());
    rows.push_back(std::move(row));
  }
  return rows;
}

std::unique_ptr<Model> place_chain() {
  return parse_model(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[3] x) => (float[3] y) {
      a = Abs(x)
      b = Neg(a)
      c = Exp(b)
      y = Relu(c)
    })");
}

/// Pins nodes of one type to one provider.
PinnedProvider given(std::string op_type, std::string provider) {
  return [=](const Node& node) { return node.op_type() == op_type ? provider : std::string(); };
}

using Rows = std::vector<std::string>;

}  // namespace

TEST_CASE("The preferred provider takes what nobody gave to another") {
  const auto model = place_chain();
  CHECK(placed(*model->graph, false, true, nullptr) ==
        Rows{"first Abs", "first Neg", "first Exp", "first Relu"});
  CHECK(placed(*model->graph, false, true, given("Exp", "last")) ==
        Rows{"first Abs", "first Neg", "last Exp", "first Relu"});
  CHECK(placed(*model->graph, false, true, given("Exp", "first")) ==
        Rows{"first Abs", "first Neg", "first Exp", "first Relu"});
}

TEST_CASE("A group falls apart where one of its nodes is given away, and nothing is left over") {
  const auto model = place_chain();
  CHECK(placed(*model->graph, true, true, nullptr) == Rows{"first Abs Neg", "first Exp Relu"});
  CHECK(placed(*model->graph, true, true, given("Exp", "last")) ==
        Rows{"first Abs Neg", "last Exp", "first Relu"});
}

TEST_CASE("A node given to a provider that is not there goes to the preferred one") {
  const auto model = place_chain();
  CHECK(placed(*model->graph, false, true, given("Exp", "nobody")) ==
        Rows{"first Abs", "first Neg", "first Exp", "first Relu"});
  CHECK(placed(*model->graph, true, false, given("Neg", "last")) ==
        Rows{"first Abs", "last Neg", "first Exp", "first Relu"});
}
