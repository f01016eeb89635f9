// Subgraph extraction: parts without cycles, borders, bodies, and reasons.
#include "libcore/lower/extract_subgraphs.hpp"

#include <map>
#include <set>

#include <catch2/catch.hpp>

#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/algorithms/verify.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/lower/lower.hpp"
#include "libcore/optimize/rewrite/rewriter.hpp"
#include "libcore/provider/subgraph_provider.hpp"
#include "libcore/text/parse.hpp"
#include "tests/support/session_support.hpp"

using namespace ortool;

namespace {

/// Takes nodes of some operators, and keeps the parts that it is given.
class PartCollector : public SubgraphProvider {
 public:
  explicit PartCollector(std::set<std::string> op_types, bool fuses_operators = false)
      : op_types_(std::move(op_types)), fuses_operators_(fuses_operators) {}

  std::string_view name() const override { return "collector"; }
  std::string version() const override { return "1"; }
  Claims claims(const Graph& graph) const override {
    Claims result;
    for (const Node& node : graph.nodes()) {
      if (node.op_type() == "Subgraph") {
        result.taken.push_back({{&node}});
      } else {
        result.refused.push_back({&node, "not collected"});
      }
    }
    return result;
  }
  KernelPtr compile(const NodeView&, const CompileContext&) const override { return nullptr; }
  std::vector<KernelDescription> kernels() const override { return {}; }
  bool fuses_operators() const override { return fuses_operators_; }
  std::vector<std::string> subgraph_refusals(const Graph& graph) const override {
    std::vector<std::string> reasons;
    for (const Node& node : graph.nodes())
      reasons.emplace_back(op_types_.contains(std::string(node.op_type())) ? "" : "not collected");
    return reasons;
  }
  std::int64_t keep_subgraph(std::unique_ptr<Model> part) const override {
    parts.push_back(std::move(part));
    return static_cast<std::int64_t>(parts.size()) - 1;
  }

  mutable std::vector<std::unique_ptr<Model>> parts;

 private:
  std::set<std::string> op_types_;
  bool fuses_operators_;
};

struct Extraction {
  std::unique_ptr<Model> model;
  std::shared_ptr<PartCollector> provider;
  SubgraphRefusals refusals;
  std::int64_t count = 0;
};

Extraction extract_from(std::string_view text, std::set<std::string> op_types, bool fuse = true,
                        const PinnedProvider& pinned = nullptr) {
  Extraction result;
  result.model = parse_model(text);
  infer_shapes(*result.model);
  result.provider = std::make_shared<PartCollector>(std::move(op_types));
  const std::vector<std::shared_ptr<const Provider>> providers = {result.provider};
  result.count = extract_subgraphs(
      *result.model, {.providers = providers, .fuse = fuse, .pinned = pinned}, result.refusals);
  verify(*result.model->graph);
  return result;
}

std::vector<std::string> ops_of(const Graph& graph) {
  std::vector<std::string> ops;
  for (const Node& node : graph.nodes()) ops.emplace_back(node.op_type());
  return ops;
}

std::vector<std::string> names_of(std::span<Value* const> values) {
  std::vector<std::string> names;
  for (const Value* value : values) names.emplace_back(value->name());
  return names;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a whole graph is one part") {
  const Extraction found = extract_from(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[2] x) => (float[2] y) <float[2] c = {1, 2}> { a = Tanh (x) y = Add (a, c) })",
                                        {"Tanh", "Add"});
  CHECK(found.count == 1);
  CHECK(ops_of(*found.model->graph) == Texts{"Subgraph"});
  const Graph& part = *found.provider->parts.at(0)->graph;
  CHECK(ops_of(part) == Texts{"Tanh", "Add"});
  CHECK(names_of(part.inputs()) == Texts{"x"});
  CHECK(names_of(part.outputs()) == Texts{"y"});
  CHECK(part.find_value("c")->is_constant());
  CHECK(found.model->graph->find_value("a") == nullptr);
}

TEST_CASE("parts do not wait for nodes that wait for them") {
  // b is not taken, and lies between a and y: in one part, a and y would depend on themselves.
  const Extraction found = extract_from(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[2] x) => (float[2] y) { a = Tanh (x) b = Exp (a) d = Add (a, x) y = Add (b, d) })",
                                        {"Tanh", "Add"});
  CHECK(found.count == 2);
  CHECK(ops_of(*found.model->graph) == Texts{"Subgraph", "Exp", "Subgraph"});
  CHECK(ops_of(*found.provider->parts.at(0)->graph) == Texts{"Tanh", "Add"});
  CHECK(names_of(found.provider->parts.at(0)->graph->outputs()) == Texts{"a", "d"});
  CHECK(names_of(found.provider->parts.at(1)->graph->inputs()) == Texts{"b", "d"});
}

TEST_CASE("nodes are parts of their own where nothing is fused") {
  const Extraction found = extract_from(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[2] x) => (float[2] y) { a = Tanh (x) y = Tanh (a) })",
                                        {"Tanh"}, false);
  CHECK(found.count == 2);
}

TEST_CASE("nodes of constants, strings and bodies are not handed over") {
  const Extraction found = extract_from(R"(<ir_version: 8, opset_import: ["" : 17]>
g (bool p, float[2] x, string[2] s) => (float[2] y, string[2] t) <float[2] c = {1, 2}> {
  k = Tanh (c) t = Identity (s)
  y = If (p) <then_branch = a () => (float[2] u) { v = Tanh (x) u = Add (v, k) },
              else_branch = b () => (float[2] w) { w = Identity (x) }> })",
                                        {"Tanh", "Add", "Identity", "If"});
  // The branches' nodes are parts of the branches.
  CHECK(found.count == 2);
  CHECK(ops_of(*found.model->graph) == Texts{"Tanh", "Identity", "If"});
  std::map<std::string, std::string> reasons;
  for (const Node& node : found.model->graph->nodes())
    reasons[std::string(node.op_type())] = found.refusals.find("collector", node);
  CHECK(reasons["Tanh"] == "all of its inputs are constants");
  CHECK(reasons["Identity"] == "an input is a string or no tensor of a known type");
  CHECK(reasons["If"] == "the node has graphs of its own, which the runtime runs");
}

TEST_CASE("parts have copies of the nodes that dequantize their weights") {
  const Extraction found = extract_from(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[2, 2] x) => (float[2, 2] y, float[2, 2] z)
    <int8[2, 2] w = {1, 2, 3, 4}, int8[2, 2] v = {1, 2, 3, 4}, float s = {0.5}> {
  d = DequantizeLinear (w, s) e = DequantizeLinear (v, s)
  a = MatMul (x, d) b = Exp (a) c = MatMul (b, d) y = Add (c, a) z = Sub (b, e) })",
                                        {"DequantizeLinear", "MatMul", "Add"});
  CHECK(found.count == 2);
  CHECK(ops_of(*found.model->graph) ==
        Texts{"DequantizeLinear", "Subgraph", "Exp", "Sub", "Subgraph"});
  const Graph& first = *found.provider->parts.at(0)->graph;
  CHECK(ops_of(first) == Texts{"DequantizeLinear", "MatMul"});
  CHECK(names_of(first.inputs()) == Texts{"x"});
  const Graph& second = *found.provider->parts.at(1)->graph;
  CHECK(ops_of(second) == Texts{"DequantizeLinear", "MatMul", "Add"});
  CHECK(names_of(second.inputs()) == Texts{"b", "a"});
  CHECK(found.model->graph->find_value("d") == nullptr);
  const Node& left = *found.model->graph->first_node();
  CHECK(left.output(0)->name() == "e");
  CHECK(found.refusals.find("collector", left) == "all of its inputs are constants");
  CHECK(origins_of(*left.next()) == Texts{"DequantizeLinear_0", "MatMul_2"});
}

TEST_CASE("nodes that are assigned to another provider are not handed over") {
  const Extraction found = extract_from(
      R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[2] x) => (float[2] y) { a = Tanh (x) y = Exp (a) })",
      {"Tanh", "Exp"}, true,
      [](const Node& node) { return std::string(node.op_type() == "Exp" ? "cpu" : ""); });
  CHECK(ops_of(*found.model->graph) == Texts{"Subgraph", "Exp"});
  CHECK(found.refusals.find("collector", *found.model->graph->first_node()->next()) ==
        "the node is assigned to 'cpu'");
}

TEST_CASE("a part's node tells which nodes it was made of, and their types stay") {
  const Extraction found = extract_from(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[n, 2] x) => (float[n, 2] y) { a = Tanh (x) y = Tanh (a) })",
                                        {"Tanh"});
  const Node& node = *found.model->graph->first_node();
  CHECK(origins_of(node) == Texts{"Tanh_0", "Tanh_1"});
  infer_shapes(*found.model);
  CHECK(found.model->graph->outputs()[0]->type().to_string() == "float32[n x 2]");
}

namespace {

/// The operators of the parts that lowering hands over of x * clip(x + 3, 0, 6) / 6 and an
/// Identity.
std::vector<Texts> handed_over(bool fuses_operators, OptimizeLevel level) {
  const auto model = parse_model(R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[2] x) => (float[2] y) <float a = {3}, float low = {0}, float high = {6}, float d = {6}> {
  i = Identity (x) s = Add (i, a) c = Clip (s, low, high) p = Mul (i, c) y = Div (p, d) })");
  const auto provider = std::make_shared<PartCollector>(
      std::set<std::string>{"Identity", "Add", "Clip", "Mul", "Div", "HardSigmoid"},
      fuses_operators);
  const std::vector<std::shared_ptr<const Provider>> providers = {provider,
                                                                  cpu_options().providers.back()};
  Workers alone;
  static_cast<void>(lower(*model, {.level = level, .providers = providers}, {.workers = alone}));
  std::vector<Texts> parts;
  for (const auto& part : provider->parts) parts.push_back(ops_of(*part->graph));
  return parts;
}

}  // namespace

TEST_CASE("Providers that fuse operators get those of the file, others get fused ones") {
  CHECK(handed_over(true, OptimizeLevel::all) == std::vector<Texts>{{"Add", "Clip", "Mul", "Div"}});
  CHECK(handed_over(false, OptimizeLevel::all) == std::vector<Texts>{{"HardSigmoid", "Mul"}});
}

TEST_CASE("Parts are whole at each level that rewrites") {
  CHECK(handed_over(false, OptimizeLevel::basic) ==
        std::vector<Texts>{{"Add", "Clip", "Mul", "Div"}});
  CHECK(handed_over(false, OptimizeLevel::none).size() == 5);
}
