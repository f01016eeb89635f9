// Imports of domains in bodies apply to the outermost graph.
#include "libcore/graph/algorithms/import_domain.hpp"

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/text/parse.hpp"

namespace ortool {
namespace {

TEST_CASE("a body's import is the main graph's, and another version gives way") {
  const auto model = parse_model(
      "<ir_version: 8, opset_import: [\"\" : 18]>\n"
      "g (bool c, float[2] x) => (float[2] y) {"
      "  y = If (c) <then_branch = t () => (float[2] a) { a = Neg (x) },"
      "    else_branch = e () => (float[2] b) { b = Abs (x) }> }");
  Graph& main = *model->graph;
  Graph& body = *main.first_node()->subgraphs().front();
  import_domain(body, "local", 3);
  CHECK(main.opset("local") == 3);
  CHECK(body.opset("local") == 3);
  CHECK(main.opset("") == 18);
  import_domain(main, "local", 2);
  CHECK(body.opset("local") == 2);
}

}  // namespace
}  // namespace ortool
