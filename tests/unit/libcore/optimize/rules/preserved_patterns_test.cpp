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

/// One head of an attention as in BERT, whose projections add zeros, with a feed-forward layer.
std::string attention(const std::string& mask) {
  return "g (float[1, 2, 4] x, float[1, 1, 1, 2] m) => (float[1, 2, 4] y)"
         "<float[4, 4] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7}, float two = {2},"
         " float[4] b = {0, 0, 0, 0}, int64[4] s = {1, 2, 1, 4}, int64[3] t = {1, 2, 4},"
         " float one = {1}, float low = {-10000}>"
         "{ qp = MatMul (x, w) qb = Add (qp, b) qs = Reshape (qb, s)"
         "  q = Transpose <perm = [0, 2, 1, 3]> (qs)"
         "  n = Neg (x) kp = MatMul (n, w) kb = Add (kp, b) ks = Reshape (kb, s)"
         "  k = Transpose <perm = [0, 2, 3, 1]> (ks)"
         "  a = Abs (x) vp = MatMul (a, w) vb = Add (vp, b) vs = Reshape (vb, s)"
         "  v = Transpose <perm = [0, 2, 1, 3]> (vs)"
         "  qk = MatMul (q, k) scaled = Div (qk, two)" +
         mask +
         "  p = Softmax <axis = 3> (masked) h = MatMul (p, v) ht = Transpose <perm = [0, 2, 1, 3]> "
         "(h)"
         "  r = Reshape (ht, t) op = MatMul (r, w) o = Add (op, b)"
         "  e = Exp (o) fp = MatMul (e, w) f = Add (fp, b) y = Relu (f) }";
}

constexpr const char* bert_mask = "  d = Sub (one, m) l = Mul (d, low) masked = Add (scaled, l)";
constexpr const char* other_mask = "  l = Mul (m, low) masked = Add (scaled, l)";

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

TEST_CASE("a file keeps zeros as the biases of an attention that is masked as in BERT") {
  constexpr std::int64_t biases = 4;
  const std::int64_t others = left_of(attention(bert_mask), 17, false);
  CHECK(left_of(attention(bert_mask), 11, false) == others + biases);
}

TEST_CASE("a file keeps no zeros as the biases of other attentions and products") {
  CHECK(left_of(attention(other_mask), 11, false) == left_of(attention(other_mask), 17, false));
  CHECK(left_of(biased_product, 11, false) == 1);
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
