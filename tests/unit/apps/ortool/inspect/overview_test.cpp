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

}  // namespace
}  // namespace ortool
