// The pass that fuses quantized clusters, in files for ortool.
#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/lower/fuse_quantized.hpp"
#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

constexpr std::string_view sigmoid_of_bytes =
    "<ir_version: 8, opset_import: [\"\" : 13]>\n"
    "g (int8[4] x) => (int8[4] y) <float s = {0.5}, int8 z = {3}>\n"
    "{ a = DequantizeLinear (x, s, z) b = Sigmoid (a) c = QuantizeLinear (b, s, z) y = Neg (c) }";

/// Returns the same bytes for every node.
class SameBytes : public Evaluator {
 public:
  std::optional<std::vector<Tensor>> evaluate(const Node&, std::int64_t) override {
    std::vector<Tensor> results;
    results.push_back(Tensor(DataType::int8, Shape({256})));
    return results;
  }
};

TEST_CASE("the table of a function of bytes is computed, and a second run finds nothing to do") {
  const std::unique_ptr<Model> model = inferred_model(sigmoid_of_bytes);
  SameBytes evaluator;
  const RewriteOptions options{.has_own_operators = true, .evaluator = &evaluator};
  const Pass pass = fuse_quantized_pass();
  RewriteReport report;
  pass.run(*model, options, report);
  CHECK(report.rewrites == 1);
  REQUIRE(model->graph->node_count() == 2);
  const Node& lookup = *model->graph->first_node();
  CHECK(lookup.op_type() == "ByteLookup");
  CHECK(lookup.input(1)->is_constant());
  pass.run(*model, options, report);
  CHECK(report.rewrites == 1);
}

TEST_CASE("files for others keep their clusters") {
  const std::unique_ptr<Model> model = inferred_model(sigmoid_of_bytes);
  SameBytes evaluator;
  RewriteReport report;
  fuse_quantized_pass().run(*model, {.evaluator = &evaluator}, report);
  CHECK(report.rewrites == 0);
  CHECK(model->graph->node_count() == 4);
}

}  // namespace
}  // namespace ortool
