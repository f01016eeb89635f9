// Node checks: the gate before any other code sees a node.
#include "libcore/ops/check_node.hpp"

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/text/parse.hpp"

namespace ortool {
namespace {

/// The id of the error in the one node, or "" if it is valid.
std::string found(std::string_view node, std::string_view inputs, std::int64_t opset = 18) {
  const auto model = parse_model(format(
      "<ir_version: 8, opset_import: [\"\" : {}]> g ({}) => () { {} }", opset, inputs, node));
  try {
    check_node(*model->graph->first_node());
  } catch (const Error& error) {
    return std::string(error.id());
  }
  return "";
}

TEST_CASE("inputs of one type parameter have one type", "[ops]") {
  CHECK(found("y = Add(a, b)", "float[2] a, float[2] b").empty());
  CHECK(found("y = Add(a, b)", "float[2] a, int64[2] b") == "node.type");
  CHECK(found("y = Concat <axis = 0> (a, a, b)", "float[2] a, double[2] b") == "node.type");
  CHECK(found("y = Where(c, a, b)", "bool[2] c, float[2] a, int32[2] b") == "node.type");
  CHECK(found("y = Pow(a, b)", "float[2] a, int64[2] b").empty());
}

TEST_CASE("inputs are of types that the version takes", "[ops]") {
  CHECK(found("y = Relu(a)", "bool[2] a") == "node.type");
  CHECK(found("y = Relu(a)", "seq(float[2]) a") == "node.type");
  CHECK(found("y = Identity(a)", "seq(float[2]) a").empty());
  CHECK(found("y = Identity(a)", "seq(float[2]) a", 13) == "node.type");
  CHECK(found("y = Identity(a)", "optional(seq(float[2])) a").empty());
  CHECK(found("y = Reshape(a, s)", "float[2] a, int32[1] s") == "node.type");
}

TEST_CASE("counts and attributes go with the version", "[ops]") {
  CHECK(found("y = Relu(a, a)", "float[2] a") == "node.arity");
  CHECK(found("y = Relu()", "float[2] a") == "node.arity");
  CHECK(found("y = Relu <alpha = 1.0> (a)", "float[2] a") == "node.attribute.unknown");
  CHECK(found("y = Softmax <axis = 1.0> (a)", "float[2] a") == "node.attribute.kind");
  CHECK(found("y = TopK(a, k)", "float[2] a, int64[1] k", 9) == "node.arity");
  CHECK(found("y = Cast(a)", "float[2] a") == "node.attribute.missing");
  CHECK(found("y = NoSuchOperator(a)", "float[2] a") == "node.operator.unknown");
}

}  // namespace
}  // namespace ortool
