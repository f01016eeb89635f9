// Operators defined as text: added to models that call them, run, and refused where they are wrong.
#include "libcore/api/defined_ops.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/runtime/session.hpp"
#include "libcore/text/parse.hpp"
#include "providers/provider_list.hpp"

namespace ortool {
namespace {

constexpr const char* definitions = R"(
<domain: "test.text", opset_import: ["" : 18, "test.text" : 1]>
Gap <low> (x) => (y) { l = Constant <value_float: float = @low> () s = test.text.Square (x) y = Sub (s, l) }
<domain: "test.text", opset_import: ["" : 18]>
Square (x) => (y) { y = Mul (x, x) }
)";

TEST_CASE("operators defined as text are added to models that call them, and run") {
  define_ops(definitions, "definitions.txt");
  auto model = parse_model(
      "<ir_version: 10, opset_import: [\"\" : 18, \"test.text\" : 1]>\n"
      "g (float[n] x) => (float[n] y) { y = test.text.Gap <low: float = 2.0> (x) }");
  add_defined_ops(*model);
  CHECK(model->functions.size() == 2);
  add_defined_ops(*model);
  CHECK(model->functions.size() == 2);
  SessionOptions options;
  options.providers = default_providers();
  const Session session(std::move(model), options);
  const auto outputs = session.run({{"x", Tensor::of<float>(Shape{2}, {3, 4})}}, {});
  CHECK(outputs.front().tensor().data<float>()[0] == 7);
  CHECK(outputs.front().tensor().data<float>()[1] == 14);

  auto other = parse_model(
      "<ir_version: 10, opset_import: [\"\" : 18]>\n"
      "g (float[n] x) => (float[n] y) { y = Neg (x) }");
  add_defined_ops(*other);
  CHECK(other->functions.empty());
}

TEST_CASE("wrong definitions of operators are refused with the file's name") {
  const auto refusal = [](const char* text) -> std::string {
    try {
      define_ops(text, "wrong.txt");
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  CHECK_THAT(refusal(""), Catch::Contains("wrong.txt: defines no function"));
  CHECK_THAT(refusal("<domain: \"\", opset_import: [\"\" : 18]> F (x) => (y) { y = Neg (x) }"),
             Catch::Contains("has no domain of its own"));
  CHECK_THAT(refusal("<domain: \"d\"> F (x"), Catch::StartsWith("wrong.txt: line 1, column "));
}

}  // namespace
}  // namespace ortool
