// Imports that are added for operators of domains that a model does not import.
#include "libcore/optimize/surgery/import_missing_domains.hpp"

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/text/parse.hpp"

namespace ortool {
namespace {

TEST_CASE("a domain that is used without an import gets one if its operators are known") {
  const auto model = parse_model(
      "<ir_version: 8, opset_import: [\"\" : 17]>\n"
      "g (float[2, 3] x) => (float[2, 3] y) { a = com.microsoft.Gelu (x) y = other.Thing (a) }");
  import_missing_domains(*model);
  CHECK(model->graph->opset("com.microsoft") == 1);
  CHECK(model->graph->opset("other") == 0);
  CHECK(model->graph->opset("") == 17);
}

}  // namespace
}  // namespace ortool
