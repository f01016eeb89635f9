// Least sizes of inputs: windows, channels, sides that must fit, sums, and models that fit none.
#include "libcore/infer/least_sizes.hpp"

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/text/parse.hpp"

namespace ortool {
namespace {

LeastSizes least_of(const std::string& graph, InputSizes given = {}) {
  const auto model = parse_model("<ir_version: 8, opset_import: [\"\": 18]>\n" + graph);
  return find_least_sizes(*model, {.given = std::move(given)});
}

TEST_CASE("sizes of 1 stay where they will do", "[infer]") {
  const LeastSizes least = least_of("g (float[N, ?, 3] x) => (y) { y = Relu (x) }");
  CHECK(least.are_accepted);
  CHECK(least.problem.empty());
  CHECK(least.sizes == InputSizes{{"N", 1}, {"x_dim_1", 1}});
}

TEST_CASE("a window decides the least size of an image", "[infer]") {
  const LeastSizes least = least_of(R"(g (float[a, b, c, d] x) => (y) {
    y = MaxPool <kernel_shape = [300, 7]> (x)
  })");
  CHECK(least.are_accepted);
  CHECK(least.sizes == InputSizes{{"a", 1}, {"b", 1}, {"c", 300}, {"d", 7}});
}

TEST_CASE("weights decide channels, and windows one after the other the image", "[infer]") {
  const LeastSizes least = least_of(R"(g (float[N, C, ?, W] x, float[8, 21, 3, 3] w) => (y) {
    z = Conv (x, w)
    y = AveragePool <kernel_shape = [2, 2]> (z)
  })");
  CHECK(least.are_accepted);
  CHECK(least.sizes == InputSizes{{"C", 21}, {"N", 1}, {"W", 4}, {"x_dim_2", 4}});
}

TEST_CASE("sides that are halved and doubled again must be even", "[infer]") {
  const LeastSizes least = least_of(R"(g (float[N, 4, H, W] x) => (y) <
      float[4, 4, 2, 2] w = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                             1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                             1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                             1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}> {
    a = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x)
    b = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (a)
    c = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (b)
    d = ConvTranspose <strides = [2, 2]> (c, w)
    e = ConvTranspose <strides = [2, 2]> (d, w)
    f = ConvTranspose <strides = [2, 2]> (e, w)
    y = Concat <axis = 1> (x, f)
  })");
  CHECK(least.are_accepted);
  CHECK(least.sizes == InputSizes{{"H", 8}, {"N", 1}, {"W", 8}});
  CHECK_FALSE(least.problem.empty());
}

TEST_CASE("channels and the side of an image that is flattened are found together", "[infer]") {
  const LeastSizes least =
      least_of(R"(g (float[N, C, H, W] x, float[8, 3, 1, 1] w, float[6272, 10] v) => (y) {
    a = Conv <strides = [8, 8]> (x, w)
    b = Flatten (a)
    y = MatMul (b, v)
  })");
  CHECK(least.are_accepted);
  CHECK(least.sizes.at("C") == 3);
  CHECK(least.sizes.at("N") == 1);
  CHECK(((least.sizes.at("H") + 7) / 8) * ((least.sizes.at("W") + 7) / 8) == 784);
}

TEST_CASE("a size called by a sum follows its parts", "[infer]") {
  const auto model = parse_model(R"(<ir_version: 8, opset_import: ["": 18]>
    g (float[past, 2] x, float["past + new", 2] m) => (y) { y = Relu (m) })");
  const LeastSizes least = find_least_sizes(*model, {.given = {{"past", 5}}});
  CHECK(least.sizes == InputSizes{{"new", 1}, {"past", 5}});
  set_input_sizes(*model, least.sizes);
  CHECK(to_string(model->graph->find_value("m")->type().shape) == "6 x 2");
}

TEST_CASE("given sizes stay, and no empty output will do", "[infer]") {
  const std::string graph = R"(g (float[n, m] x) => (y) <int64[1] s = {2}, int64[1] e = {9},
      int64[1] a = {1}> { y = Slice (x, s, e, a) })";
  CHECK(least_of(graph, {{"n", 4}}).sizes == InputSizes{{"m", 3}, {"n", 4}});
}

TEST_CASE("a model that takes no sizes says why", "[infer]") {
  const LeastSizes least =
      least_of("g (float[n, 3] x, float[4, 5] w) => (y) { y = MatMul (x, w) }");
  CHECK_FALSE(least.are_accepted);
  CHECK(least.sizes == InputSizes{{"n", 1}});
  CHECK(least.problem.find("MatMul") != std::string::npos);
}

}  // namespace
}  // namespace ortool
