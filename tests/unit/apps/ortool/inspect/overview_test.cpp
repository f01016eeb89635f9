// Tests that the overview fits a screen, whatever the model.
#include "apps/ortool/inspect/overview.hpp"

#include <algorithm>
#include <string>

#include <catch2/catch.hpp>

#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

TEST_CASE("the overview of a model with much of everything has at most 40 lines", "[inspect]") {
  std::string inputs;
  std::string outputs;
  std::string weights;
  std::string nodes;
  for (int i = 0; i < 60; ++i) {
    const std::string number = std::to_string(i);
    const std::string separator = i > 0 ? ", " : "";
    inputs += separator + "float[n, 3, 8, 8] an_input_with_a_long_name_" + number;
    outputs += separator + "float[] an_output_with_a_long_name_" + number;
    weights += separator + "float[4] weight_" + number + " = {1e-40, nan, inf, 0}";
    nodes += "an_output_with_a_long_name_" + number + " = my.OperatorOfAnUnknownDomainNumber" +
             number + " (an_input_with_a_long_name_" + number + ", weight_" + number + ") ";
  }
  auto model =
      inferred_model("<ir_version: 10, opset_import: [\"\": 20, \"my\": 1], producer_name: \"" +
                     std::string(500, 'p') + "\"> g (" + inputs + ") => (" + outputs + ") <" +
                     weights + "> {" + nodes + "}");
  const Inspection inspection(std::move(model), std::string(3000, 'f') + ".onnx", {});
  const std::string text = overview_text(inspection);
  CHECK(std::count(text.begin(), text.end(), '\n') <= 40);
  CHECK(text.size() < 8000);
  CHECK(text.find("and 40 more operators") != std::string::npos);
}

TEST_CASE("work that data decides is told by the node, not by a long formula", "[inspect]") {
  const auto macs_line = [](const std::string& batch, int count) {
    std::string nodes = "[chooser] r = Reshape (x, s)  a0 = Relu (r) ";
    for (int i = 0; i < count; ++i) {
      nodes += "a" + std::to_string(i + 1) + " = MatMul (a" + std::to_string(i) + ", w) ";
    }
    auto model = inferred_model("<ir_version: 10, opset_import: [\"\": 20]> g (float[" + batch +
                                ", 5] x, float[5, 5] w, int64[rank] s) => (float[] a" +
                                std::to_string(count) + ") {" + nodes + "}");
    const std::string text = overview_text(Inspection(std::move(model), "m.onnx", {}));
    const std::size_t at = text.find("MACs");
    return text.substr(at, text.find('\n', at) - at);
  };
  CHECK_THAT(macs_line("2", 20), Catch::Contains("unknown: depends on 'chooser'"));
  CHECK_THAT(macs_line("2", 1), Catch::Contains("'macs("));
}

}  // namespace
}  // namespace ortool
