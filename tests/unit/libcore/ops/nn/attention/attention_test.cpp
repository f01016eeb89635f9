// Shapes of the attention family: packed heads, caches, states, and mismatched operands.
#include "libcore/ops/nn/attention/attention.hpp"

#include <catch2/catch.hpp>

#include "tests/support/inferred.hpp"

namespace ortool::test {
namespace {

constexpr std::string_view outputs = "y, k2, v2, s = ";

std::string attention(std::string_view call, std::string_view inputs) {
  const std::string node = std::string(outputs) + "Attention " + std::string(call);
  return inferred({node, inputs});
}

TEST_CASE("attention adds the past to the keys", "[ops]") {
  CHECK(attention("(q, k, v, , pk, pv)",
                  "float[B, 8, Q, 64] q, float[B, 2, T, 64] k, float[B, 2, T, 32] v, "
                  "float[B, 2, P, 64] pk, float[B, 2, P, 32] pv") ==
        "float32[B x 8 x Q x 32], float32[B x 2 x (P + T) x 64], float32[B x 2 x (P + T) x 32], "
        "float32[B x 8 x Q x (P + T)]");
}

TEST_CASE("packed heads are taken apart and put together", "[ops]") {
  CHECK(attention("<q_num_heads = 4, kv_num_heads = 2> (q, k, v)",
                  "float[1, Q, 32] q, float[1, T, 16] k, float[1, T, 10] v") ==
        "float32[1 x Q x 20], float32[1 x 2 x T x 8], float32[1 x 2 x T x 5], "
        "float32[1 x 4 x Q x T]");
}

TEST_CASE("attention refuses operands that do not go together", "[ops]") {
  CHECK_THAT(attention("(q, k, v)", "float[1, 2, 8] q, float[1, 2, 8] k, float[1, 2, 8] v"),
             Catch::Contains("which inputs of rank 3 need"));
  CHECK_THAT(attention("<q_num_heads = 3, kv_num_heads = 3> (q, k, v)",
                       "float[1, 2, 8] q, float[1, 2, 8] k, float[1, 2, 8] v"),
             Catch::Contains("multiple of the 3 heads"));
  CHECK_THAT(
      attention("(q, k, v)", "float[1, 3, 2, 8] q, float[1, 2, 2, 8] k, float[1, 2, 2, 8] v"),
      Catch::Contains("3 query heads for 2"));
  CHECK_THAT(
      attention("(q, k, v, , k)", "float[1, 2, 2, 8] q, float[1, 2, 2, 8] k, float[1, 2, 2, 8] v"),
      Catch::Contains("not given together"));
  CHECK_THAT(attention("(q, k, v, m)",
                       "float[1, 2, 2, 8] q, float[1, 2, 2, 8] k, float[1, 2, 2, "
                       "8] v, float[3, 2] m"),
             Catch::Contains("'attn_mask' has the shape 3 x 2"));
}

TEST_CASE("a mask may be shorter than the keys", "[ops]") {
  CHECK(inferred({"y = Attention(q, k, v, m)",
                  "float[1, 2, 3, 8] q, float[1, 2, 6, 8] k, float[1, 2, 6, 8] v, bool[3, 4] m"}) ==
        "float32[1 x 2 x 3 x 8]");
}

TEST_CASE("linear attention keeps a state a head", "[ops]") {
  CHECK(inferred({"y, s = LinearAttention <q_num_heads = 4, kv_num_heads = 2, update_rule = "
                  "\"linear\"> (q, k, v)",
                  "float[B, T, 32] q, float[B, T, 16] k, float[B, T, 6] v"}) ==
        "float32[B x T x 12], float32[B x 2 x 8 x 3]");
  CHECK_THAT(inferred({"y, s = LinearAttention <q_num_heads = 4, kv_num_heads = 2> (q, k, v)",
                       "float[B, T, 32] q, float[B, T, 16] k, float[B, T, 6] v"}),
             Catch::Contains("'decay' is left out"));
}

TEST_CASE("a causal convolution's state is one shorter than its window", "[ops]") {
  CHECK(inferred({"y, s = CausalConvWithState(x, w)", "float[B, 3, L] x, float[3, 1, K] w"}) ==
        "float32[B x 3 x L], float32[B x 3 x (K - 1)]");
}

TEST_CASE("rotary embedding checks its caches", "[ops]") {
  CHECK(inferred({"y = RotaryEmbedding <num_heads = 2> (x, c, c)",
                  "float[B, S, 16] x, float[B, S, 4] c"}) == "float32[B x S x 16]");
  CHECK_THAT(inferred({"y = RotaryEmbedding(x, c, c)", "float[B, 2, S, 16] x, float[B, S, 4] c"}),
             Catch::Contains("'cos_cache' is 4 (expected 8)"));
}

}  // namespace
}  // namespace ortool::test
