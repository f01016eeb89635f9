// Checks of models: what runtimes accept anyway is a warning, not an error.
#include "libcore/check/check_model.hpp"

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/onnx/write/save.hpp"
#include "libcore/text/parse.hpp"
#include "tests/support/scratch_file.hpp"

namespace ortool {
namespace {

TEST_CASE("a Constant of version 1 may hold integers, and the check says so") {
  const auto model = parse_model(
      "<ir_version: 3, opset_import: [\"\": 5]> g (float[2, 3] x) => (float[6] y) "
      "{ s = Constant <value = int64[1] {6}> ()  y = Reshape (x, s) }");
  const test::ScratchFile file("constant_1.onnx");
  save_model(*model, file.path());
  const CheckResult result = check_model(file.path(), {}, StopToken(), {});
  REQUIRE(result.model != nullptr);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].rule == "node.output_type");
  CHECK(result.findings[0].severity == Severity::warning);
  CHECK_THAT(result.findings[0].message, Catch::Contains("int64"));
  CHECK(to_string(result.model->graph->outputs()[0]->type().shape) == "6");
}

}  // namespace
}  // namespace ortool
