// Recurrent layers: shapes by direction and layout, activations by name, mismatched operands.
#include "libcore/ops/rnn/recurrent.hpp"

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/rnn/lstm.hpp"
#include "libcore/text/parse.hpp"
#include "tests/support/inferred.hpp"

namespace ortool::test {
namespace {

using Function = RecurrentActivation::Function;

TEST_CASE("states and outputs follow direction and layout", "[ops]") {
  const std::string_view one = "float[T, N, 3] x, float[1, 20, 3] w, float[1, 20, 5] r";
  CHECK(inferred({"y, h, c = LSTM <hidden_size = 5> (x, w, r)", one}) ==
        "float32[T x 1 x N x 5], float32[1 x N x 5], float32[1 x N x 5]");
  CHECK(inferred({"y, h, c = LSTM <layout = 1> (x, w, r)", one}) ==
        "float32[T x N x 1 x 5], float32[T x 1 x 5], float32[T x 1 x 5]");
  CHECK(inferred({R"(, h = GRU <direction = "bidirectional"> (x, w, r))",
                  "float[T, N, 3] x, float[2, 15, 3] w, float[2, 15, 5] r"}) ==
        "float32[2 x N x 5]");
  CHECK(inferred({R"(y = RNN <direction = "reverse"> (x, w, r))",
                  "double[T, N, I] x, double[1, H, I] w, double[1, H, H] r"}) ==
        "float64[T x 1 x N x H]");
  CHECK(inferred({"y = GRU(x, w, r)", "float[T, N, 3] x, float[1, G, 3] w, float[1, G, ?] r"}) ==
        "float32[T x 1 x N x r_dim_2]");
}

TEST_CASE("operands that disagree are refused", "[ops]") {
  const std::string_view one =
      "float[7, 2, 3] x, float[1, 20, 3] w, float[1, 20, 5] r, float[1, 40] b, "
      "int32[2] l, float[1, 2, 5] h, float[1, 2, 5] c, float[1, 15] p";
  CHECK(inferred({"y = LSTM(x, w, r, b, l, h, c, p)", one}) == "float32[7 x 1 x 2 x 5]");
  CHECK_THAT(inferred({"y = LSTM <hidden_size = 4> (x, w, r)", one}),
             Catch::Contains("the hidden size of the weights is 5 (expected 4)"));
  CHECK_THAT(inferred({"y = GRU(x, w, r)", one}),
             Catch::Contains("'W' has 20 rows (expected a multiple of the 3 gates)"));
  CHECK_THAT(inferred({R"(y = LSTM <direction = "bidirectional"> (x, w, r))", one}),
             Catch::Contains("'W' has the shape 1 x 20 x 3 (expected 2 x 20 x 3)"));
  CHECK_THAT(inferred({"y = LSTM(x, w, r, p)", one}), Catch::Contains("'B' has the shape 1 x 15"));
  CHECK_THAT(inferred({"y = LSTM(x, w, r, b, l, h, c, b)", one}),
             Catch::Contains("'P' has the shape"));
  CHECK_THAT(inferred({"y = LSTM <layout = 1> (x, w, r, , l)", one}),
             Catch::Contains("the dimensions 7 and 2 must be the same"));
  CHECK_THAT(inferred({"y = LSTM(x, w, r)", "float[7, 2] x, float[1, 20, 3] w, float[1, 20, 5] r"}),
             Catch::Contains("rank 2"));
}

TEST_CASE("attributes of recurrent layers are checked", "[ops]") {
  const std::string_view one = "float[T, N, 3] x, float[1, 5, 3] w, float[1, 5, 5] r";
  CHECK_THAT(
      inferred({R"(y = RNN <direction = "back"> (x, w, r))", one}),
      Catch::Contains("'direction' is 'back' (expected one of forward, reverse, bidirectional)"));
  CHECK_THAT(inferred({"y = RNN <hidden_size = 0> (x, w, r)", one}),
             Catch::Contains("hidden_size is 0 (expected 1 to 2^31)"));
  CHECK_THAT(inferred({"y = RNN <hidden_size = 4611686018427387904> (x, w, r)", one}),
             Catch::Contains("hidden_size is 4611686018427387904"));
  CHECK_THAT(inferred({"y = RNN <clip = -1.0> (x, w, r)", one}), Catch::Contains("clip is -1"));
  CHECK_THAT(inferred({"y = RNN <layout = 2> (x, w, r)", one}), Catch::Contains("'layout' is 2"));
  CHECK_THAT(inferred({R"(y = RNN <activations = ["Sine"]> (x, w, r))", one}),
             Catch::Contains("activations holds 'Sine' (expected one of Affine, Elu,"));
  CHECK_THAT(inferred({R"(y = RNN <activations = ["Tanh", "Relu"]> (x, w, r))", one}),
             Catch::Contains("activations has 2 functions (expected 1, 1 per direction)"));
  CHECK_THAT(inferred({"y = RNN <activation_alpha = [1.0, 2.0]> (x, w, r)", one}),
             Catch::Contains("activation_alpha has 2 elements for 1 functions"));
}

TEST_CASE("functions take the numbers given in order, then their own defaults", "[ops]") {
  const auto model = parse_model(R"(<ir_version: 8, opset_import: ["" : 14]>
    g (float[T, N, 3] x, float[2, 20, 3] w, float[2, 20, 5] r) => () {
      y = LSTM <direction = "bidirectional", activation_alpha = [0.5, 0.25], activation_beta = [0.75],
                activations = ["HardSigmoid", "tanh", "LeakyRelu", "Affine", "Elu", "Softplus"]>
          (x, w, r)
      z = LSTM(x, w, r)
    })");
  std::vector<LSTM> layers;
  for (const Node& node : model->graph->nodes()) layers.push_back(read_op<LSTM>(node));
  CHECK(layers[0].activations ==
        std::vector<RecurrentActivation>{{Function::hard_sigmoid, 0.5F, 0.75F},
                                         {Function::tanh, 0.0F, 0.0F},
                                         {Function::leaky_relu, 0.25F, 0.0F},
                                         {Function::affine, 1.0F, 0.0F},
                                         {Function::elu, 1.0F, 0.0F},
                                         {Function::softplus, 0.0F, 0.0F}});
  CHECK(layers[1].activations == std::vector<RecurrentActivation>{{Function::sigmoid, 0.0F, 0.0F},
                                                                  {Function::tanh, 0.0F, 0.0F},
                                                                  {Function::tanh, 0.0F, 0.0F}});
}

}  // namespace
}  // namespace ortool::test
