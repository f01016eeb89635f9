// Values between nodes as outputs, with the types that files may declare.
#include "libcore/optimize/surgery/expose_values.hpp"

#include <catch2/catch.hpp>

#include "libcore/graph/algorithms/verify.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/text/parse.hpp"

namespace ortool {
namespace {

constexpr const char* joined =
    "<ir_version: 8, opset_import: [\"\" : 18]>\n"
    "g (float[n, 4] x) => (float[m, 4] y, float[n, 4] u)"
    "{ a = Relu (x) b = Concat <axis = 0> (a, x) y = Neg (b) u = Abs (x) }";

TEST_CASE("values that nodes compute become outputs after those of the model") {
  const auto model = parse_model(joined);
  CHECK(intermediate_values(*model) == std::vector<std::string>{"a", "b"});
  const std::vector<std::string> names = {"b", "a"};
  expose_values(*model, names);
  verify(*model->graph);
  REQUIRE(model->outputs().size() == 4);
  CHECK(model->outputs()[0]->name() == "y");
  CHECK(model->outputs()[2]->name() == "b");
  CHECK(model->outputs()[3]->type().to_string() == "float32[n x 4]");
  // 2*n is a formula, which no file can declare.
  CHECK(model->outputs()[2]->type().to_string() == "float32[? x 4]");
  CHECK(model->outputs()[0]->type().to_string() == "float32[m x 4]");
  CHECK(intermediate_values(*model).empty());
}

}  // namespace
}  // namespace ortool
