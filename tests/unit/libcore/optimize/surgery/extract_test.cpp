// Extraction of model parts, and invalid requests.
#include "libcore/optimize/surgery/extract.hpp"

#include <catch2/catch.hpp>

#include "libcore/graph/algorithms/verify.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/text/print.hpp"
#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

constexpr const char* branching =
    "<ir_version: 8, opset_import: [\"\" : 18]>\n"
    "g (float[n, 4] x, float[4] z, bool c) => (float[n, 4] y, float[n, 4] u)"
    "<float[4] w = {1, 2, 3, 4}>"
    "{ [a] a = Mul (x, w) [b] b = Relu (a) [d] b2 = Add (b, z)"
    "  [i] y = If (c) <then_branch = t () => (float[n, 4] p) { p = Neg (b2) },"
    "                  else_branch = e () => (float[n, 4] q) { q = Abs (b) }>"
    "  [u] u = Neg (x) [s] s1, s2 = Split <num_outputs = 2, axis = 1> (u) }";

std::unique_ptr<Model> part(const std::vector<std::string>& inputs,
                            const std::vector<std::string>& outputs) {
  auto made = extract(inferred_model(branching), inputs, outputs);
  verify(*made->graph);
  return made;
}

std::string names(std::span<Value* const> values) {
  std::string text;
  for (const Value* value : values) text += std::string(value->name()) + " ";
  return text;
}

TEST_CASE("outputs alone keep the inputs that they need") {
  const auto made = part({}, {"b2"});
  CHECK(names(made->graph->inputs()) == "x z ");
  CHECK(names(made->graph->outputs()) == "b2 ");
  CHECK(made->graph->node_count() == 3);
  CHECK(made->graph->outputs()[0]->type().to_string() == "float32[n x 4]");
  CHECK(made->graph->find_value("w")->is_constant());
}

TEST_CASE("a part between values reads what its bodies capture") {
  const auto made = part({"b"}, {"y"});
  CHECK(names(made->graph->inputs()) == "b z c ");
  CHECK(made->graph->node_count() == 2);
  const Node& node = *made->graph->outputs()[0]->producer();
  CHECK(node.implicit_input_count() == 2);
}

TEST_CASE("inputs alone keep every output") {
  const auto made = part({"a"}, {});
  CHECK(names(made->graph->inputs()) == "a x z c ");
  CHECK(names(made->graph->outputs()) == "y u ");
}

TEST_CASE("names that cannot be cut at are refused with the reason") {
  CHECK_THROWS_WITH(part({"w"}, {"y"}), Catch::Contains("'w' is a constant"));
  CHECK_THROWS_WITH(part({"b"}, {"u"}), Catch::Contains("none of the outputs needs 'b'"));
  CHECK_THROWS_WITH(part({"nosuch"}, {}), Catch::Contains("has no value 'nosuch'"));
  CHECK_THROWS_WITH(part({"s1"}, {"s1", "s2"}), Catch::Contains("cannot become an input"));
}

}  // namespace
}  // namespace ortool
