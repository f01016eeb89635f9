// Tests of counting the MACs of nodes.
#include "libcore/inspect/count_macs.hpp"

#include <string>

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

/// The count for a main graph with these inputs, declarations and nodes, whose output is y.
std::string count(const std::string& inputs, const std::string& nodes,
                  const std::string& declared = "") {
  const auto model =
      inferred_model("<ir_version: 10, opset_import: [\"\": 20, \"com.microsoft\": 1]> g (" +
                     inputs + ") => (float[] y) " + declared + " {" + nodes + "}");
  return MacCounter(*model).count(*model->graph).formula();
}

TEST_CASE("a convolution takes a window of its group's channels for each output element",
          "[inspect]") {
  CHECK(count("float[1, 4, 8, 8] x, float[6, 4, 3, 3] w",
              "y = Conv <pads = [1, 1, 1, 1]> (x, w)") == std::to_string(6 * 64 * 36));
  CHECK(count("float[1, 4, 8, 8] x, float[4, 1, 3, 3] w",
              "y = Conv <pads = [1, 1, 1, 1], group = 4> (x, w)") == std::to_string(4 * 64 * 9));
  CHECK(count("float[N, 4, 8, 8] x, float[6, 4, 1, 1] w", "y = Conv (x, w)") == "1536*N");
}

TEST_CASE("fused operators count what they are made of", "[inspect]") {
  CHECK(count("float[1, 8, 8, 4] x, float[6, 1, 1, 4] w", "y = com.microsoft.NhwcConv (x, w)") ==
        "1536");
  CHECK(count("float[3, 5, 7] x, float[3, 2, 7] w",
              "y = com.microsoft.FusedMatMul <transB = 1> (x, w)") == "210");
  CHECK(count("float[5, 3, 7] x, float[3, 7, 2] w",
              "y = com.microsoft.FusedMatMul <transBatchA = 1> (x, w)") == "210");
  CHECK(count("float[M, 7] x, float[2, 7] w", "y = com.microsoft.CDist (x, w)") == "14*M");
}

TEST_CASE("packed sequences count as many keys as the longest may have", "[inspect]") {
  CHECK(count("float[N, 2] x, float[2, 12] w, float[12] b, int32[B, 8] o, int32[C] c",
              "y = com.microsoft.PackedAttention <num_heads = 1> (x, w, b, o, c)") == "88*N");
  CHECK(count("float[N, 2, 4] q, float[N, 4, 8] v, int32[C] c",
              "y = com.microsoft.GatedDeltaNet <update_rule = \"linear\"> (q, q, v, c)") ==
        "256*N");
  CHECK(count("float[N, 3] x, float[3, 1, 4] w, int32[C] c, float[B, 3, 3] s",
              "y, t = com.microsoft.VarlenCausalConvWithState (x, w, c, , s)") == "12*N");
}

TEST_CASE("attention to windows counts three of them for each token", "[inspect]") {
  CHECK(
      count("float[1, 8, 4] x, float[4, 12] w, float[12] b, float[1, 8] m, int32[1, 8] g",
            "y = com.microsoft.LongformerAttention <num_heads = 1, window = 2> (x, w, b, m, w, b, "
            "g)") == "1024");
}

TEST_CASE("a transposed convolution spreads each input element over a window", "[inspect]") {
  CHECK(count("float[1, 4, 8, 8] x, float[4, 6, 2, 2] w",
              "y = ConvTranspose <strides = [2, 2]> (x, w)") == std::to_string(4 * 64 * 24));
}

TEST_CASE("matrix products count rows by columns by the length of their sums", "[inspect]") {
  CHECK(count("float[2, 5, 7] x, float[7, 3] w", "y = MatMul (x, w)") == "210");
  CHECK(count("float[7] x, float[7] w", "y = MatMul (x, w)") == "7");
  CHECK(count("float[7, 5] x, float[3, 7] w", "y = Gemm <transA = 1, transB = 1> (x, w)") == "105");
  CHECK(count("float[batch, 7] x, float[7, 3] w", "y = MatMul (x, w)") == "21*batch");
}

TEST_CASE("elementwise operators, pooling and normalization count nothing", "[inspect]") {
  CHECK(count("float[2, 5] x", "a = Relu (x)  b = Mul (a, x)  y = Softmax (b)") == "0");
}

TEST_CASE("a recurrence multiplies each step with all its weights", "[inspect]") {
  CHECK(count("float[10, 2, 8] x, float[1, 16, 8] w, float[1, 16, 4] r",
              "y = LSTM <hidden_size = 4> (x, w, r)") == std::to_string(20 * (16 * 8 + 16 * 4)));
}

TEST_CASE("Einsum counts all labels together", "[inspect]") {
  CHECK(count("float[2, 3, 5] a, float[2, 5, 7] b",
              "y = Einsum <equation = \"bij, bjk -> bik\"> (a, b)") == "210");
  CHECK(count("float[2, 3, 5] a, float[2, 5, 7] b",
              "y = Einsum <equation = \"...ij,...jk->...ik\"> (a, b)") == "210");
}

TEST_CASE("of two branches the larger counts", "[inspect]") {
  const std::string branches =
      "y = If <then_branch = t () => (float[] a) { a = MatMul (x, w) }, "
      "else_branch = e () => (float[] b) { c = MatMul (x, w) b = MatMul (c, v) }> (flag)";
  CHECK(count("bool flag, float[2, 5] x, float[5, 5] w, float[5, 5] v", branches) == "100");
}

TEST_CASE("a body counts as often as it runs, by a symbol where that is not known", "[inspect]") {
  const std::string loop =
      "y = Loop <body = b (int64 i, bool c, float[2, 5] s) => (bool d, float[2, 5] t) "
      "{ d = Identity (c) t = MatMul (s, w) }> (trips, , x)";
  CHECK(count("float[2, 5] x, float[5, 5] w", loop, "<int64 trips = {7}>") == "350");
  CHECK(count("int64 trips, float[2, 5] x, float[5, 5] w", loop) == "50*'trips(Loop_0)'");
}

TEST_CASE("a call costs what the function's body does", "[inspect]") {
  const auto model = inferred_model(
      "<ir_version: 10, opset_import: [\"\": 20, \"my\": 1]> g (float[2, 5] x, float[5, 5] w) => "
      "(float[2, 5] y) { a = my.twice (x, w)  y = my.once (a, w) } "
      "<domain: \"my\", opset_import: [\"\": 20, \"my\": 1]> twice (p, q) => (r) "
      "{ s = my.once (p, q)  r = my.once (s, q) } "
      "<domain: \"my\", opset_import: [\"\": 20]> once (p, q) => (r) { r = MatMul (p, q) }");
  const MacCounter counter(*model);
  const Cost call = counter.count(*model->graph->first_node()->next());
  CHECK_FALSE(call.is_zero());
  CHECK(counter.count(*model->graph->first_node()) == call.times(Dimension(2)));
}

TEST_CASE("what is not known names the node that the rank is missing from", "[inspect]") {
  const auto model = inferred_model(
      "<ir_version: 10, opset_import: [\"\": 20]> g (float[2, 5] x, float[5, 5] w, int64[n] s) => "
      "(float[] y) { [made] r = Reshape (x, s)  a = Relu (r)  y = MatMul (a, w) }");
  const Cost cost = MacCounter(*model).count(*model->graph);
  CHECK(cost.cause() == "made");
  CHECK_FALSE(cost.value());
}

TEST_CASE("dimensions that data decides stand in the formula by value and axis", "[inspect]") {
  CHECK(count("float[4, 8] x, float[8, 3] w, bool[4] keep",
              "k = Compress <axis = 0> (x, keep)  y = MatMul (k, w)")
            .find("24*'") == 0);
}

}  // namespace
}  // namespace ortool
