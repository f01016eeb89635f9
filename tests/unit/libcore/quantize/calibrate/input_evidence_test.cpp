// Evidence about inputs in small models, and that preparation keeps it.
#include "libcore/quantize/calibrate/input_evidence.hpp"

#include <catch2/catch.hpp>

#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

constexpr const char* normalised_convolution =
    "<ir_version: 8, opset_import: [\"\" : 13]>\n"
    "g (float[1, 1, 4, 4] x) => (float[1, 2, 3, 3] y)"
    "<float[2, 1, 2, 2] w = {1, 2, 3, 4, 5, 6, 7, 8}, float[2] s = {-2, 0.5}, float[2] b = {1, 3},"
    " float[2] m = {4, 5}, float[2] v = {9, 16}>"
    "{ c = Conv (x, w) [bn] n = BatchNormalization (c, s, b, m, v) y = Relu (n) }";

TEST_CASE("the first normalization tells means and deviations of its results") {
  const auto model = inferred_model(normalised_convolution);
  const InputClues clues = find_input_clues(*model);
  REQUIRE(clues.norms.size() == 1);
  CHECK(clues.norms[0].input == "x");
  CHECK(clues.norms[0].node == "bn");
  CHECK(clues.norms[0].output == "n");
  CHECK(clues.norms[0].means == std::vector<double>{1, 3});
  CHECK(clues.norms[0].deviations == std::vector<double>{2, 0.5});
  CHECK(clues.ranges.empty());
}

TEST_CASE("functions of one element and products by constants carry the input's scale") {
  const auto model = inferred_model(
      "<ir_version: 8, opset_import: [\"\" : 13]>\n"
      "g (float[3, 2] x) => (float[3, 2] y)"
      "<float[2, 2] w = {1, 2, 3, 4}, float[2] s = {-2, 0.5}, float[2] b = {1, 3},"
      " float[2] m = {4, 5}, float[2] v = {9, 16}>"
      "{ e = Elu (x) p = MatMul (e, w) y = BatchNormalization (p, s, b, m, v) }");
  CHECK(find_input_clues(*model).norms.size() == 1);
  const auto normalised = inferred_model(
      "<ir_version: 8, opset_import: [\"\" : 13]>\n"
      "g (float[3, 2] x) => (float[3, 2] y)"
      "<float[2] s = {-2, 0.5}, float[2] b = {1, 3}, float[2] m = {4, 5}, float[2] v = {9, 16}>"
      "{ e = Softmax (x) y = BatchNormalization (e, s, b, m, v) }");
  CHECK(find_input_clues(*normalised).norms.empty());
}

TEST_CASE("what the graph normalizes itself, and what metadata say, are ranges") {
  const auto model = inferred_model(
      "<ir_version: 8, opset_import: [\"\" : 13]>\n"
      "g (float[1, 3, 4, 4] x) => (float[1, 3, 4, 4] y)"
      "<float[1] m = {127.5}, float[1] s = {127.5}> { a = Sub (x, m) y = Div (a, s) }");
  InputClues clues = find_input_clues(*model);
  REQUIRE(clues.ranges.size() == 1);
  CHECK(clues.ranges[0].range == NumberRange{-255, 510});
  CHECK_FALSE(clues.ranges[0].is_strict);
  model->metadata.emplace_back("Image.NominalPixelRange", "NominalRange_0_255");
  clues = find_input_clues(*model);
  REQUIRE(clues.ranges.size() == 2);
  CHECK(clues.ranges[0].range == NumberRange{0, 255});
  CHECK(clues.ranges[0].is_strict);
}

TEST_CASE("a graph that makes its input larger says nothing of its range") {
  const auto model = inferred_model(
      "<ir_version: 8, opset_import: [\"\" : 13]>\n"
      "g (float[1, 3, 4, 4] x) => (float[1, 3, 4, 4] y) <float[1] s = {255}> { y = Mul (x, s) }");
  CHECK(find_input_clues(*model).ranges.empty());
}

TEST_CASE("clues of values that went are left out, and first layers' biases are added") {
  const auto model = inferred_model(normalised_convolution);
  InputClues clues = find_input_clues(*model);
  const auto rewritten = inferred_model(
      "<ir_version: 8, opset_import: [\"\" : 13]>\n"
      "g (float[1, 1, 4, 4] x) => (float[1, 2, 3, 3] y)"
      "<float[2, 1, 2, 2] w = {1, 2, 3, 4, 5, 6, 7, 8}, float[2] b = {1, 3}>"
      "{ k = Conv (x, w, b) y = Relu (k) }");
  settle_input_clues(*rewritten, clues);
  CHECK(clues.norms.empty());
  REQUIRE(clues.layers.size() == 1);
  CHECK(clues.layers[0].bias == std::vector<double>{1, 3});
  std::vector<ValueRequest> requests = {{"k", std::nullopt}};
  add_requests(clues, requests);
  CHECK(requests == std::vector<ValueRequest>{{"k", 1}, {"x", std::nullopt}});
}

}  // namespace
}  // namespace ortool
