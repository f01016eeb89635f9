// Patterns that files keep for other runtimes, but ortool's own models do not.
#include "libcore/optimize/rules/preserved_patterns.hpp"

#include <string>

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/optimize/pipeline.hpp"
#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

constexpr const char* normalization =
    "g (float[2, 3] x) => (float[2, 3] y)"
    "<float two = {2}, float e = {0.1}, float[3] w = {1, 1, 1}, float[3] b = {0, 0, 0}>"
    "{ m = ReduceMean <axes = [-1]> (x) d = Sub (x, m) p = Pow (d, two)"
    "  v = ReduceMean <axes = [-1]> (p) ve = Add (v, e) s = Sqrt (ve) n = Div (d, s)"
    "  nw = Mul (n, w) y = Add (nw, b) }";

constexpr const char* biased_product =
    "g (float[1, 2, 3] x) => (float[1, 2, 2] y)"
    "<float[3, 2] w = {1, 2, 3, 4, 5, 6}, float[2] b = {0, 0}> { p = MatMul (x, w) y = Add (p, b) "
    "}";

constexpr const char* mask =
    "g (int64[N, S] m) => (float[N, 1, 1, S] y) <float one = {1}, float low = {-10000}>"
    "{ a = Unsqueeze <axes = [1]> (m) b = Unsqueeze <axes = [2]> (a) c = Cast <to = 1> (b)"
    "  d = Sub (one, c) y = Mul (d, low) }";

/// The number of nodes left.
std::int64_t left_of(const std::string& graph, int opset, bool has_own_operators) {
  const auto model = inferred_model(
      "<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) + "]>\n" + graph);
  static_cast<void>(
      optimize(*model, OptimizeLevel::extended, {.has_own_operators = has_own_operators}));
  return model->graph->node_count();
}

TEST_CASE("a file keeps weights of ones and zeros by which others know a normalization") {
  CHECK(left_of(normalization, 11, false) == 9);
  CHECK(left_of(normalization, 17, false) == 1);
  CHECK(left_of(normalization, 11, true) == 1);
}

TEST_CASE("a file keeps a bias of zeros where an opset has no LayerNormalization") {
  CHECK(left_of(biased_product, 11, false) == 2);
  CHECK(left_of(biased_product, 17, false) == 1);
  CHECK(left_of(biased_product, 11, true) == 1);
}

TEST_CASE(
    "a file keeps the two Unsqueezes of an attention's mask where an opset has no "
    "LayerNormalization") {
  CHECK(left_of(mask, 11, false) == 5);
  CHECK(left_of(mask, 11, true) == 4);
}

}  // namespace
}  // namespace ortool
