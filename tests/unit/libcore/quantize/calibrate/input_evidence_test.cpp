// Evidence about inputs in small models, and that preparation keeps it.
#include "libcore/quantize/calibrate/input_evidence.hpp"

#include <catch2/catch.hpp>

#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

constexpr const char* normalized_convolution =
    "<ir_version: 8, opset_import: [\"\" : 13]>\n"
    "g (float[1, 1, 4, 4] x) => (float[1, 2, 3, 3] y)"
    "<float[2, 1, 2, 2] w = {1, 2, 3, 4, 5, 6, 7, 8}, float[2] s = {-2, 0.5}, float[2] b = {1, 3},"
    " float[2] m = {4, 5}, float[2] v = {9, 16}>"
    "{ c = Conv (x, w) [bn] n = BatchNormalization (c, s, b, m, v) y = Relu (n) }";

TEST_CASE("the first normalization tells means and deviations of its results") {
  const auto model = inferred_model(normalized_convolution);
  const ModelEvidence model_evidence = find_model_evidence(*model);
  REQUIRE(model_evidence.norms.size() == 1);
  CHECK(model_evidence.norms[0].input == "x");
  CHECK(model_evidence.norms[0].node == "bn");
  CHECK(model_evidence.norms[0].output == "n");
  CHECK(model_evidence.norms[0].means == std::vector<double>{1, 3});
  CHECK(model_evidence.norms[0].deviations == std::vector<double>{2, 0.5});
  CHECK(model_evidence.ranges.empty());
}

TEST_CASE("functions of one element and products by constants carry the input's scale") {
  const auto model = inferred_model(
      "<ir_version: 8, opset_import: [\"\" : 13]>\n"
      "g (float[3, 2] x) => (float[3, 2] y)"
      "<float[2, 2] w = {1, 2, 3, 4}, float[2] s = {-2, 0.5}, float[2] b = {1, 3},"
      " float[2] m = {4, 5}, float[2] v = {9, 16}>"
      "{ e = Elu (x) p = MatMul (e, w) y = BatchNormalization (p, s, b, m, v) }");
  CHECK(find_model_evidence(*model).norms.size() == 1);
  const auto normalized = inferred_model(
      "<ir_version: 8, opset_import: [\"\" : 13]>\n"
      "g (float[3, 2] x) => (float[3, 2] y)"
      "<float[2] s = {-2, 0.5}, float[2] b = {1, 3}, float[2] m = {4, 5}, float[2] v = {9, 16}>"
      "{ e = Softmax (x) y = BatchNormalization (e, s, b, m, v) }");
  CHECK(find_model_evidence(*normalized).norms.empty());
}

TEST_CASE("what the graph normalizes itself, and what metadata say, are ranges") {
  const auto model = inferred_model(
      "<ir_version: 8, opset_import: [\"\" : 13]>\n"
      "g (float[1, 3, 4, 4] x) => (float[1, 3, 4, 4] y)"
      "<float[1] m = {127.5}, float[1] s = {127.5}> { a = Sub (x, m) y = Div (a, s) }");
  ModelEvidence model_evidence = find_model_evidence(*model);
  REQUIRE(model_evidence.ranges.size() == 1);
  CHECK(model_evidence.ranges[0].range == ValueRange{-255, 510});
  CHECK_FALSE(model_evidence.ranges[0].is_strict);
  model->metadata.emplace_back("Image.NominalPixelRange", "NominalRange_0_255");
  model_evidence = find_model_evidence(*model);
  REQUIRE(model_evidence.ranges.size() == 2);
  CHECK(model_evidence.ranges[0].range == ValueRange{0, 255});
  CHECK(model_evidence.ranges[0].is_strict);
}

TEST_CASE("a graph that makes its input larger says nothing of its range") {
  const auto model = inferred_model(
      "<ir_version: 8, opset_import: [\"\" : 13]>\n"
      "g (float[1, 3, 4, 4] x) => (float[1, 3, 4, 4] y) <float[1] s = {255}> { y = Mul (x, s) }");
  CHECK(find_model_evidence(*model).ranges.empty());
}

TEST_CASE("clues of values that went are left out, and first layers' biases are added") {
  const auto model = inferred_model(normalized_convolution);
  ModelEvidence model_evidence = find_model_evidence(*model);
  const auto rewritten = inferred_model(
      "<ir_version: 8, opset_import: [\"\" : 13]>\n"
      "g (float[1, 1, 4, 4] x) => (float[1, 2, 3, 3] y)"
      "<float[2, 1, 2, 2] w = {1, 2, 3, 4, 5, 6, 7, 8}, float[2] b = {1, 3}>"
      "{ k = Conv (x, w, b) y = Relu (k) }");
  update_model_evidence(*rewritten, model_evidence);
  CHECK(model_evidence.norms.empty());
  REQUIRE(model_evidence.layers.size() == 1);
  CHECK(model_evidence.layers[0].bias == std::vector<double>{1, 3});
  std::vector<ValueRequest> requests = {{"k", std::nullopt}};
  add_requests(model_evidence, requests);
  CHECK(requests == std::vector<ValueRequest>{{"k", 1}, {"x", std::nullopt}});
}

}  // namespace
}  // namespace ortool
