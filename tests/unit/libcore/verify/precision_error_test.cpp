// Precision error: on sessions whose products in 16 bits are Gemm nodes with perturbed weights.
#include "libcore/verify/precision_error.hpp"

#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/text/parse.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

/// By how much the weights of each of the products differ in 16 bits.
struct WeightNoise {
  const char* node;
  const char* weights;
  float noise;
};

constexpr WeightNoise noises[] = {
    {"exact", "w0", 0}, {"coarse", "w1", 0.2F}, {"fine", "w2", 0.01F}};

std::unique_ptr<Model> three_products() {
  auto model = parse_model(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[4,16] x, float[16,16] w0, float[16,16] w1, float[16,16] w2) => (float[4,16] y) {
      [exact] a = MatMul (x, w0)
      [coarse] b = MatMul (x, w1)
      [fine] c = MatMul (b, w2)
      y = Add (a, c)
    })");
  Graph& graph = *model->graph;
  unsigned seed = 5;
  for (const WeightNoise& one : noises) {
    Value& weights = *graph.find_value(one.weights);
    graph.set_constant(weights, random_tensor(Shape{16, 16}, seed++));
    graph.make_default_constant(weights);
  }
  return model;
}

/// Sessions of three_products(), whose made models are counted.
class NoisySessions {
 public:
  PrecisionSessions factory() {
    return [this](const KeepsFloat& keeps_float) {
      ++made_;
      auto model = copy_model(*model_);
      Graph& graph = *model->graph;
      std::vector<Node*> products;
      for (Node& node : graph.nodes()) {
        if (node.op_type() == "MatMul" && !(keeps_float && keeps_float(node)))
          products.push_back(&node);
      }
      for (Node* node : products) perturb(graph, *node);
      return std::make_unique<Session>(std::move(model), cpu_options());
    };
  }
  int made() const { return made_; }

 private:
  static void perturb(Graph& graph, Node& node) {
    const std::string name(node.name());
    const auto* one = std::find_if(std::begin(noises), std::end(noises),
                                   [&](const WeightNoise& each) { return name == each.node; });
    const Tensor noise = random_tensor(Shape{16, 16}, 77);
    const std::span<const float> exact = node.input(1)->constant().data<float>();
    Tensor weights(DataType::float32, Shape{16, 16});
    for (std::size_t i = 0; i < exact.size(); ++i)
      weights.mutable_data<float>()[i] = exact[i] + one->noise * noise.data<float>()[i];
    Value& perturbed = graph.add_constant("", std::move(weights));
    Value& x = *node.input(0);
    Value& y = *node.output(0);
    Node* next = node.next();
    graph.remove_node(node);
    graph.add_node("Gemm", "", std::vector<Value*>{&x, &perturbed}, std::vector<Value*>{&y}, name,
                   next);
  }

  std::unique_ptr<Model> model_ = three_products();
  int made_ = 0;
};

struct PrecisionTest {
  MemoryCap memory;
  StopToken stop;
  TaskContext task{memory, stop};
  NoisySessions sessions;
  std::vector<NamedValues> samples = {{{"x", random_tensor(Shape{4, 16}, 3)}}};

  PrecisionErrorReport measure(std::optional<double> budget) {
    return measure_precision_error(task, sessions.factory(), samples, {}, budget);
  }
};

TEST_CASE("nodes are listed by what they cost alone", "[precision]") {
  PrecisionTest test;
  const PrecisionErrorReport report = test.measure(std::nullopt);
  REQUIRE(report.nodes.size() == 3);
  CHECK(report.nodes[0].node == "coarse");
  CHECK(report.nodes[1].node == "fine");
  CHECK(report.nodes[2].node == "exact");
  CHECK(report.nodes[0].op_type == "Gemm");
  CHECK(report.nodes[0].error.output == "y");
  CHECK(report.nodes[0].error.cosine_error > 1e-3);
  CHECK(report.nodes[1].error.cosine_error < report.nodes[0].error.cosine_error / 10);
  CHECK(report.nodes[1].error.cosine_error > 0);
  CHECK(report.nodes[2].error.cosine_error < 1e-12);
  CHECK(report.all.cosine_error > report.nodes[0].error.cosine_error / 2);
  CHECK(report.all.sqnr_db < report.nodes[1].error.sqnr_db);
  CHECK(std::none_of(report.nodes.begin(), report.nodes.end(),
                     [](const NodePrecisionError& one) { return one.is_kept; }));
  CHECK(test.sessions.made() == 5);
}

TEST_CASE("a budget keeps the costliest nodes in float32, and no more", "[precision]") {
  PrecisionTest test;
  const PrecisionErrorReport all = test.measure(std::nullopt);
  const double fine = all.nodes[1].error.cosine_error;
  const auto kept_for = [&](double budget) {
    const PrecisionErrorReport report = test.measure(budget);
    CHECK(report.left.cosine_error <= budget);
    std::string kept;
    for (const NodePrecisionError& one : report.nodes) kept += one.is_kept ? one.node + " " : "";
    return kept;
  };
  CHECK(kept_for(1).empty());
  CHECK(kept_for(all.all.cosine_error).empty());
  CHECK(kept_for(2 * fine) == "coarse ");
  CHECK(kept_for(fine / 2) == "coarse fine ");
}

TEST_CASE("the worst of several samples counts", "[precision]") {
  PrecisionTest test;
  std::vector<double> errors;
  for (const unsigned seed : {3U, 4U, 5U}) {
    test.samples = {{{"x", random_tensor(Shape{4, 16}, seed)}}};
    errors.push_back(test.measure(std::nullopt).all.cosine_error);
  }
  test.samples.clear();
  for (const unsigned seed : {3U, 4U, 5U})
    test.samples.push_back({{"x", random_tensor(Shape{4, 16}, seed)}});
  CHECK(test.measure(std::nullopt).all.cosine_error ==
        *std::max_element(errors.begin(), errors.end()));
}

TEST_CASE("outputs without floating-point numbers cannot be measured", "[precision]") {
  PrecisionTest test;
  const PrecisionSessions integers = [](const KeepsFloat&) {
    return make_session(R"(
      <ir_version: 8, opset_import: ["" : 17]>
      g (float[4,16] x) => (int64[4,1] y) { y = ArgMax <axis = 1> (x) })");
  };
  try {
    static_cast<void>(measure_precision_error(test.task, integers, test.samples, {}, 0.1));
    FAIL("it was measured");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::invalid);
    CHECK(error.hint().find("outputs") != std::string::npos);
  }
}

}  // namespace
}  // namespace ortool
