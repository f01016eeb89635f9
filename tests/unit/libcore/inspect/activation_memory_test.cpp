// Tests of the peak memory of activations.
#include "libcore/inspect/activation_memory.hpp"

#include <string>

#include <catch2/catch.hpp>

#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

std::string peak(const std::string& inputs, const std::string& nodes,
                 const std::string& declared = "", const std::string& output = "float[] y") {
  const auto model = inferred_model("<ir_version: 10, opset_import: [\"\": 20]> g (" + inputs +
                                    ") => (" + output + ") " + declared + " {" + nodes + "}");
  const ActivationMemory memory = peak_activation_memory(*model);
  if (memory.unknown != nullptr) return "unknown " + std::string(memory.unknown->name());
  return (memory.is_bound ? "at most " : "") + memory.bytes.formula();
}

TEST_CASE("values live from their making to their last use", "[inspect]") {
  // x and a; then a and b, then b and y: never three at once.
  CHECK(peak("float[10] x", "a = Relu (x)  b = Relu (a)  y = Relu (b)") == "80");
  // x is read once more at the end.
  CHECK(peak("float[10] x", "a = Relu (x)  b = Relu (a)  y = Add (b, x)") == "120");
}

TEST_CASE("constants take no activation memory", "[inspect]") {
  CHECK(peak("float[2] x", "y = Add (x, w)", "<float[2] w = {1, 2}>") == "16");
}

TEST_CASE("symbols give a formula, and the larger of formulas that can be told", "[inspect]") {
  CHECK(peak("float[n, 10] x", "a = Relu (x)  y = Relu (a)") == "80*n");
  CHECK(peak("float[n] x, float[m] z",
             "a = Concat <axis = 0> (x, x, x)  b = ReduceSum <keepdims = 0> (a) "
             "c = Concat <axis = 0> (z, z, z)  y = Mul (c, b)") ==
        "max(4*m + 12*n + 4, 4*m + 16*n, 24*m + 4)");
}

TEST_CASE("what a subgraph makes counts while its node runs", "[inspect]") {
  const std::string node =
      "y = If <then_branch = t () => (float[10] a) { p = Relu (x) q = Exp (p) a = Relu (q) }, "
      "else_branch = e () => (float[10] b) { b = Neg (x) }> (flag)";
  // The flag, x and y outside; two values at once inside.
  CHECK(peak("bool flag, float[10] x", node, "", "float[10] y") == "161");
}

TEST_CASE("a value of many readers takes no more time for that", "[inspect]") {
  std::string nodes;
  std::string sum = "y = Sum (";
  for (int i = 0; i < 3000; ++i) {
    const std::string name = "v" + std::to_string(i);
    nodes += name + " = Relu (x) ";
    sum += (i > 0 ? ", " : "") + name;
  }
  CHECK(peak("float[1] x", nodes + sum + ")") == std::to_string(4 * 3001));
}

}  // namespace
}  // namespace ortool
