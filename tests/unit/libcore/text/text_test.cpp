// Models as text: parsing, printing, and errors with line and column.
#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/tensor/convert.hpp"
#include "libcore/text/parse.hpp"
#include "libcore/text/print.hpp"

using namespace ortool;

namespace {

/// Parses and prints the text, checks that the result prints the same again, and returns it.
std::string round_trip(std::string_view text) {
  const std::string first = print_model(*parse_model(text));
  INFO(first);
  CHECK(print_model(*parse_model(first)) == first);
  return first;
}

std::string in_node(const std::string& attributes) {
  return "g (float x) => (float y) { y = Op <" + attributes + "> (x) }";
}

void check_error(std::string_view text, const std::string& message) {
  INFO(text);
  try {
    parse_model(text);
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK_THAT(error.message(), Catch::Contains(message));
    CHECK_THAT(error.message(), Catch::StartsWith("line "));
  }
}

}  // namespace

TEST_CASE("a model in text becomes a graph") {
  const auto model = parse_model(R"(
    <ir_version: 8, opset_import: ["" : 13, "ai.onnx.ml": 3], producer_name: "me">
    name (float[N,3] x) => (float[N,3] y) <float[3] w = {1, 2.5, -3}> {
      # a comment
      a = Mul (x, w)
      [last] y = Softmax<axis = -1>(a)
    })");
  CHECK(model->ir_version == 8);
  CHECK(model->producer_name == "me");
  const Graph& graph = *model->graph;
  CHECK(graph.opset("") == 13);
  CHECK(graph.opset("ai.onnx.ml") == 3);
  CHECK(graph.name() == "name");
  CHECK(graph.node_count() == 2);
  const Node& softmax = *graph.outputs()[0]->producer();
  CHECK(softmax.name() == "last");
  CHECK(std::get<std::int64_t>(softmax.find_attribute("axis")->value) == -1);
  CHECK(softmax.input(0)->producer()->op_type() == "Mul");
  CHECK(graph.inputs()[0]->type().to_string() == "float32[N x 3]");
  CHECK(element_as_double(graph.find_value("w")->constant(), 1) == 2.5);
}

TEST_CASE("every kind of attribute survives printing and parsing") {
  for (const char* attribute : {"a = 1",
                                "a = -9223372036854775808",
                                "a = 1.5",
                                "a = 1e+20",
                                "a = nan",
                                "a = -inf",
                                "a = \"text\"",
                                "a = [1, 2]",
                                "a = [1.5, 2.0]",
                                "a = [\"x\", \"y\"]",
                                "a: ints = []",
                                "a: floats = []",
                                "a: strings = []",
                                "a: graphs = []",
                                "a: tensors = []",
                                "a = float[2] {1, nan}",
                                "a = [float {1}, string[1] {\"q\"}]",
                                "a: type_proto = seq(int64[?])",
                                "a = sparse_tensor(float[3, 4]) {float[2] {1, 2}, int64[2] {0, 5}}",
                                "a = @b",
                                "a: ints = @b",
                                "a = 1, b = 2.0"}) {
    INFO(attribute);
    CHECK_THAT(round_trip(in_node(attribute)),
               Catch::Contains("Op <" + std::string(attribute) + "> (x)"));
  }
  CHECK_THAT(round_trip(in_node("a: float = 1")), Catch::Contains("a = 1.0"));
  CHECK_THAT(round_trip(in_node("a: floats = [1, 2]")), Catch::Contains("a = [1.0, 2.0]"));
  CHECK_THAT(round_trip(in_node("a = \"q\\\"\\\\\\n\\x01\"")),
             Catch::Contains("a = \"q\\\"\\\\\\n\\x01\""));
}

TEST_CASE("tensors of every type survive printing and parsing") {
  for (const char* tensor :
       {"float[2] {0.1, -0}", "double[1] {1e-300}", "float16[2] {0.1, 65504}", "bfloat16[1] {0.1}",
        "int64[1] {-9223372036854775808}", "uint64[1] {18446744073709551615}", "bool[2] {1, 0}",
        "int4[3] {-8, 7, 1}", "uint2[5] {0, 1, 2, 3, 1}", "float4e2m1[3] {0.5, 6, -0}",
        "float8e4m3fn[2] {448, nan}", "float8e8m0[2] {1, 0.5}", "complex64[1] {1, -2}",
        "string[2] {\"a\", \"\"}", "float[0] {}", "float[2, 0] {}", "int32 {7}"}) {
    INFO(tensor);
    CHECK_THAT(round_trip(in_node("a = " + std::string(tensor))), Catch::Contains(tensor));
  }
}

TEST_CASE("types of values survive printing and parsing") {
  for (const char* type :
       {"float", "float[]", "float[N, 3, ?]", "seq(float[2])", "optional(seq(string[]))",
        "map(int64, float[2])", "sparse_tensor(float[3])", "float[\"a b\"]"}) {
    const std::string text = "g (" + std::string(type) + " x) => (" + type + " y) { y = Op (x) }";
    CHECK_THAT(round_trip(text), Catch::Contains(std::string(type) + " x"));
  }
}

TEST_CASE("odd names are quoted and left-out operands stay left out") {
  const std::string text = round_trip(
      R"(g (float "a/b:0", float "float") => (float "y 1") {
           ["node one"] "y 1", "" = "my-co.x"."Op-1":"over load" ("a/b:0", , "float", "")
         })");
  CHECK_THAT(text,
             Catch::Contains("[\"node one\"] \"y 1\", \"\" = \"my-co.x\".\"Op-1\":\"over load\" "
                             "(\"a/b:0\", \"\", \"float\", \"\")"));
}

TEST_CASE("subgraphs capture what they read from around them") {
  const auto model = parse_model(R"(g (bool c, float x) => (float y) {
      y = If (c) <
        then_branch = t () => (float z) { z = Neg (x) },
        else_branch = e () => (float r) {
          r = If (c) <then_branch = i () => (x) {}, else_branch = j () => (q) { q = Abs (x) }> }
      >
    })");
  const Node& node = *model->graph->first_node();
  CHECK(node.implicit_input_count() == 3);
  CHECK(node.subgraphs()[0]->captures().size() == 1);
  const std::string text = print_model(*model);
  CHECK(print_model(*parse_model(text)) == text);
}

TEST_CASE("an inner name that hides an outer value in use is changed in print") {
  auto model = parse_model("g (bool c, float x) => (float y) { y = Op (c) }");
  Graph& outer = *model->graph;
  Graph& inner = outer.first_node()->make_subgraph("body");
  inner.set_name("b");
  inner.add_input("x");
  Value& captured = inner.capture(*outer.find_value("x"));
  Value& output = inner.add_value("o");
  Value* inputs[] = {inner.find_value("x"), &captured};
  Value* outputs[] = {&output};
  inner.add_node("Add", "", inputs, outputs);
  inner.add_output(output);
  const std::string text = print_model(*model);
  CHECK_THAT(text, Catch::Contains("Add (x_1, x)"));
  CHECK(print_model(*parse_model(text)) == text);
}

TEST_CASE("functions keep their attributes, opsets and overload") {
  const std::string text = round_trip(R"(
    <ir_version: 10, opset_import: ["": 17, "f": 1]>
    g (float x) => (float y) { y = f.twice <k = 3> (x) }
    <domain: "f", opset_import: ["": 17], overload: "o">
    twice <must, k: int = 2, s = "q"> (a) => (b) { b = Foo <k: int = @k> (a) })");
  CHECK_THAT(text, Catch::Contains("twice <must, k = 2, s = \"q\"> (a) => (b)"));
  CHECK_THAT(text, Catch::Contains("Foo <k: int = @k> (a)"));
}

TEST_CASE("types of inner values and defaults of inputs survive") {
  const std::string text = round_trip(
      "g (float[2] x = {1, 2}) => (float[2] y) <float[2] t> { t = Neg (x) y = Neg (t) }");
  CHECK_THAT(text, Catch::Contains("float[2] x = {1, 2}"));
  CHECK_THAT(text, Catch::Contains("float[2] t\n"));
}

TEST_CASE("large tensors can be left out of print") {
  const Tensor tensor = Tensor::of<float>(Shape{3}, {1, 2, 3});
  CHECK(print_tensor(tensor, {.max_elements = 2}) == "float[3] {...}");
  CHECK(print_tensor(tensor) == "float[3] {1, 2, 3}");
}

TEST_CASE("a default of another type or shape than its input's survives printing") {
  const std::string text = round_trip(
      "g (seq(float[N]) a, float[N] b, float[2] c = {1, 2}) => (float y) "
      "<int64[1] a = {3}, float[3] b = {1, 2, 3}> {y = Neg (b)}");
  CHECK(text.find("float[3] b = {1, 2, 3}") != std::string::npos);
  CHECK(text.find("float[2] c = {1, 2}") != std::string::npos);
}

TEST_CASE("errors give line and column") {
  check_error("g (float x) => (float y) {\n  y = Neg (z) }",
              "line 2, column 13: \"z\" is not a known value");
  check_error("g (float x) => (float y) { y = Neg (x)", "'}' expected");
  check_error("g (float x) => (float y) { y = Neg (y) }", "not a known value");
  check_error("g (float x) => (float y) { x = Neg (x) }", "already has a value");
  check_error("g (float x) => (float y) { y, y = Split (x) }", "produced twice");
  check_error("g (float x, float x) => (float x) {}", "already an input");
  check_error("g (float x) => (float z) { y = Neg (x) }", "\"z\" is not a known value");
  check_error("<ir_version: x>", "a version expected, 'x' found");
  check_error("<color: 3> g () => () {}", "no field 'color'");
  check_error(in_node("a = []"), "needs its kind");
  check_error(in_node("a = 1, a = 2"), "given twice");
  check_error(in_node("a: int = 1.5"), "not a 64-bit integer");
  check_error(in_node("a: string = 1"), "found a value of kind int where string");
  check_error(in_node("a = 99999999999999999999"), "not a 64-bit integer");
  check_error(in_node("a = [1, \"x\"]"), "a number expected");
  check_error(in_node("a = \"open"), "does not end");
  check_error(in_node("a = \"\\q\""), "escape");
  check_error(in_node("a = float[2] {1}"), "found 1 elements");
  check_error(in_node("a = float[1] {1, 2}"), "more elements");
  check_error(in_node("a = int8[1] {128}"), "not an element of type int8");
  check_error(in_node("a = bool[1] {2}"), "not a bool");
  check_error(in_node("a = float[N] {1}"), "known shape");
  check_error(in_node("a = float[1099511627776] {1}"), "more than the text");
  check_error(in_node("a = float[-1] {1}"), "negative");
  check_error("g () => () {} f <a: graph = b () => () {}> () => () {}", "cannot be the default");
  check_error("", "a graph's name expected, but the text ends");
}

TEST_CASE("nesting is bounded") {
  std::string types = "g (";
  for (int i = 0; i < 5000; ++i) types += "seq(";
  check_error(types, "nested deeper");
  std::string graphs = "g (bool c) => (y) { ";
  for (int i = 0; i < 5000; ++i) graphs += "y = If (c) <then_branch = g () => (y) { ";
  check_error(graphs, "nested deeper");
}

TEST_CASE("text cut or changed anywhere is parsed or an error") {
  const std::string good = R"(<ir_version: 8, opset_import: ["": 13]> g (float[N,3] x) => (float y)
      <float[2] w = {1, 2}> { [n] y = a.Op <a = [1.5], b = t () => (z) {z = Neg(x)}> (x, w) })";
  for (std::size_t i = 0; i < good.size(); ++i) {
    CHECK_THROWS_AS(parse_model(good.substr(0, i)), Error);
    for (const char each : {'\0', '"', '<', '9', '(', '}', '\xff'}) {
      std::string bad = good;
      bad[i] = each;
      try {
        parse_model(bad);
      } catch (const Error& error) {
        CHECK(error.id() != "internal.check");
      }
    }
  }
}
