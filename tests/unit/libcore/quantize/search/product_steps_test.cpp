// Depth of products: consecutive, parallel, and in bodies.
#include "libcore/quantize/search/product_steps.hpp"

#include <catch2/catch.hpp>

#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

using Steps = std::vector<std::vector<std::size_t>>;

// a and b in parallel, then c, then d; e reads a.
constexpr const char* branched =
    "<ir_version: 8, opset_import: [\"\" : 17]>\n"
    "g (float[2, 2] x, float[2, 2] w) => (float[2, 2] y, float[2, 2] z) {\n"
    "  a = MatMul (x, w)  b = MatMul (x, w)  s = Add (a, b)  c = MatMul (s, w)  r = Relu (c)\n"
    "  e = MatMul (a, w)  d = MatMul (r, w)  y = Relu (d)  z = Neg (e) }";

TEST_CASE("products behind which there is none come last, whatever their depth") {
  const auto model = inferred_model(branched);
  CHECK(product_steps(*model->graph, {"a", "b", "c", "d", "e"}, 8) == Steps{{0, 1}, {2}, {3, 4}});
  CHECK(product_steps(*model->graph, {"a", "b", "c", "d", "e"}, 0) == Steps{{3, 4}});
}

TEST_CASE("of more depths than are wanted, those spread evenly up to the greatest are taken") {
  const auto model = inferred_model(
      "<ir_version: 8, opset_import: [\"\" : 17]>\n"
      "g (float[2, 2] x, float[2, 2] w) => (float[2, 2] f) {\n"
      "  a = MatMul (x, w)  b = MatMul (a, w)  c = MatMul (b, w)  d = MatMul (c, w)\n"
      "  e = MatMul (d, w)  f = MatMul (e, w) }");
  CHECK(product_steps(*model->graph, {"a", "b", "c", "d", "e", "f"}, 2) == Steps{{1}, {4}, {5}});
  CHECK(product_steps(*model->graph, {"a", "b", "c", "d", "e", "f"}, 1) == Steps{{4}, {5}});
}

TEST_CASE("only the products that are named count, and those that nothing makes are left out") {
  const auto model = inferred_model(branched);
  CHECK(product_steps(*model->graph, {"gone", "b"}, 8) == Steps{{1}});
  CHECK(product_steps(*model->graph, {}, 8).empty());
}

TEST_CASE(
    "products in bodies lie behind what the bodies capture and before what reads the results") {
  const auto model = inferred_model(
      "<ir_version: 8, opset_import: [\"\" : 17]>\n"
      "g (float[2, 2] x, float[2, 2] w, bool k) => (float[2, 2] y) {\n"
      "  a = MatMul (x, w)\n"
      "  i = If (k) <then_branch = t () => (float[2, 2] b) { b = MatMul (a, w) },\n"
      "              else_branch = o () => (float[2, 2] q) { q = Neg (a) }>\n"
      "  y = MatMul (i, w) }");
  CHECK(product_steps(*model->graph, {"a", "b", "y"}, 8) == Steps{{0}, {1}, {2}});
}

}  // namespace
}  // namespace ortool
