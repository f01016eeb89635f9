// Preparation: the opset of the result, and what stays unchanged.
#include "libcore/quantize/scheme/prepare.hpp"

#include <string>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "providers/cpu/cpu_provider.hpp"
#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

/// The prepared opset of a model of opset 9 whose OneHot cannot be converted to opset 11 or later.
std::int64_t prepared_opset(const std::string& nodes, std::int64_t fallback) {
  const auto model = inferred_model(
      "<ir_version: 4, opset_import: [\"\" : 9]>\n"
      "g (float[2, 2] x, int64[2] i) => (float[2, 2] y, float[2, 3] z)"
      "<float[2, 2] w = {1, 2, 3, 4}, int64 depth = {3}, float[2] values = {0, 1}>"
      "{ z = OneHot (i, depth, values) " +
      nodes + " }");
  PrepareOptions options;
  options.is_optimized = false;
  options.fallback_opset = fallback;
  return prepare_model(*model, options).opset_after;
}

TEST_CASE("a model without weights keeps its opset") {
  CHECK(prepared_opset("y = Relu (x)", 0) == 9);
}

TEST_CASE("recurrent weights of 16 bits need an opset whose scales may be such floats") {
  const auto opset_with = [](const std::string& type, bool in_float32) {
    const auto model = inferred_model("<ir_version: 8, opset_import: [\"\" : 14]>\n g (" + type +
                                      "[3, 1, 1] x) => (" + type + "[3, 1, 1, 1] y) <" + type +
                                      "[1, 1, 1] w = {1}, " + type +
                                      "[1, 1, 1] r = {2}> { y = RNN <hidden_size = 1> (x, w, r) }");
    PrepareOptions options;
    options.is_optimized = false;
    options.in_float32 = in_float32;
    return prepare_model(*model, options).opset_after;
  };
  CHECK(opset_with("float16", true) == 19);
  CHECK(opset_with("float16", false) == 19);
  CHECK(opset_with("float", true) == 14);
}

TEST_CASE("a model that cannot be written for opset 13 takes the fallback, or says why not") {
  CHECK(prepared_opset("y = MatMul (x, w)", 10) == 10);
  CHECK_THROWS_WITH(
      prepared_opset("y = MatMul (x, w)", 0),
      Catch::Contains("quantized, it needs a later opset") && Catch::Contains("OneHot"));
}

TEST_CASE("a model goes to the opset that its operators came with, beyond what scales need") {
  const auto opset_after = [](int opset, const std::string& nodes) {
    const auto model =
        inferred_model("<ir_version: 6, opset_import: [\"\" : " + std::to_string(opset) +
                       "]>\ng (float[2, 2] x) => (float[2, 2] y)"
                       "<float[2, 2] w = {1, 2, 3, 4}, float[2] s = {1, 2}> { " +
                       nodes + " }");
    PrepareOptions options;
    options.is_optimized = false;
    return prepare_model(*model, options).opset_after;
  };
  const std::string layer = "a = MatMul (x, w) y = LayerNormalization (a, s)";
  CHECK(opset_after(11, layer) == 17);
  // Unchanged where scales need no later opset.
  CHECK(opset_after(13, layer) == 13);
  CHECK(opset_after(11, "a = MatMul (x, w) y = SimplifiedLayerNormalization (a, s)") == 13);
}

TEST_CASE("a model whose weights are nodes that fill them gets the opset of its scales too") {
  const auto model = inferred_model(
      "<ir_version: 6, opset_import: [\"\" : 9]>\ng (float[2, 32] x) => (float[2, 32] y)"
      "<int64[2] s = {32, 32}> { w = ConstantOfShape (s) y = MatMul (x, w) }");
  const auto provider = make_cpu_provider(cpu::best_isa());
  PrepareOptions options;
  options.provider = provider.get();
  CHECK(prepare_model(*model, options).opset_after == 13);
}

}  // namespace
}  // namespace ortool
