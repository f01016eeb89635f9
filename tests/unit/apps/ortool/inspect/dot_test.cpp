// Tests of graphs in DOT, Graphviz's language.
#include "apps/ortool/inspect/dot.hpp"

#include <string>

#include <catch2/catch.hpp>

#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

std::string dot_of(const Model& model) {
  StringSink sink;
  write_dot(model, "*", sink);
  return sink.take();
}

/// Whether braces and quotes are paired and quotes in labels escaped, as Graphviz requires.
bool is_well_formed(const std::string& text) {
  int depth = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      is_quoted = !is_quoted;
    } else if (!is_quoted) {
      depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
    }
    if (depth < 0) return false;
  }
  return depth == 0 && !is_quoted;
}

TEST_CASE("nodes become boxes with operator, name and constants, values edges with types",
          "[inspect]") {
  const auto model = inferred_model(
      "<ir_version: 10, opset_import: [\"\": 20]> g (float[n, 2] x) => (float[n, 2] y) "
      "<float[2] w = {1, 2}> { [first] a = Add (x, w)  y = Relu (a) }");
  const std::string text = dot_of(*model);
  CHECK(is_well_formed(text));
  CHECK(text.find("label=\"Add\\nfirst\\nfloat32 [2]\"") != std::string::npos);
  CHECK(text.find("g0n0 -> g0n1 [label=\"float32[n x 2]\"]") != std::string::npos);
}

TEST_CASE("subgraphs are clusters, and edges from outside stand outside of them", "[inspect]") {
  const auto model = inferred_model(
      "<ir_version: 10, opset_import: [\"\": 20]> g (bool c, float[2] x) => (float[] y) "
      "{ p = Relu (x)  y = If <then_branch = t () => (float[] a) { a = Neg (p) }, "
      "else_branch = e () => (float[] b) { b = Exp (p) }> (c) }");
  const std::string text = dot_of(*model);
  CHECK(is_well_formed(text));
  const std::size_t cluster = text.find("subgraph cluster_g1");
  const std::size_t edge = text.find("g0n0 -> g1n0");
  REQUIRE(cluster != std::string::npos);
  REQUIRE(edge != std::string::npos);
  CHECK(edge > text.rfind("  }\n"));
  CHECK(text.find("g0n1 -> g1 [style=dashed]") != std::string::npos);
}

TEST_CASE("names are escaped, whatever they hold", "[inspect]") {
  const auto model = inferred_model(
      "<ir_version: 10, opset_import: [\"\": 20]> \"g\\\"}\" (float[2] \"x\\\\\\\"]\") => "
      "(float[2] y) "
      "{ [\"a\\\"\\n\"] y = Relu (\"x\\\\\\\"]\") }");
  CHECK(is_well_formed(dot_of(*model)));
}

}  // namespace
}  // namespace ortool
