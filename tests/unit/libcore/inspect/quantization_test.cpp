// Tests of the quantization readout of a model.
#include "libcore/inspect/quantization.hpp"

#include <string>

#include <catch2/catch.hpp>

#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

constexpr std::string_view scales =
    "<float s = {0.5}, uint8 z = {128}, float[2] ws = {0.25, 0.5}, "
    "int8[2, 2] w = {1, 2, 3, 4}>";

std::unique_ptr<Model> model_of(const std::string& nodes) {
  return inferred_model(
      "<ir_version: 10, opset_import: [\"\": 20]> g (float[2, 2] x) => "
      "(float[2, 2] y) " +
      std::string(scales) + " {" + nodes + "}");
}

TEST_CASE("pairs, types, scales and axes are read", "[inspect]") {
  const auto model = model_of(
      "a = QuantizeLinear (x, s, z)  b = DequantizeLinear (a, s, z) "
      "c = DequantizeLinear <axis = 1> (w, ws)  d = MatMul (b, c) "
      "e = QuantizeLinear (d, s, z)  y = DequantizeLinear (e, s, z)");
  const QuantizationReadout readout = read_quantization(*model);
  CHECK(readout.pairs == 2);
  CHECK(readout.quantized_nodes == 1);
  CHECK(readout.float_nodes == 0);
  CHECK(readout.float_subgraphs.empty());
  CHECK(readout.unpaired.empty());
  REQUIRE(readout.tensors.size() == 3);
  CHECK(readout.tensors[0].role == QuantizedTensor::Role::activation);
  CHECK(readout.tensors[0].type == DataType::uint8);
  CHECK(readout.tensors[0].axis == -1);
  CHECK(readout.tensors[1].role == QuantizedTensor::Role::weight);
  CHECK(readout.tensors[1].scale_count() == 2);
  CHECK(readout.tensors[1].axis == 1);
  CHECK_FALSE(readout.tensors[1].has_zero_point);
}

TEST_CASE("floats between quantized nodes are a float subgraph with a reason", "[inspect]") {
  const auto model = model_of(
      "a = QuantizeLinear (x, s, z)  b = DequantizeLinear (a, s, z) "
      "[soft] c = Softmax (b)  [scale] d = Mul (c, x) "
      "e = QuantizeLinear (d, s, z)  y = DequantizeLinear (e, s, z)");
  const QuantizationReadout readout = read_quantization(*model);
  REQUIRE(readout.float_subgraphs.size() == 1);
  REQUIRE(readout.float_subgraphs[0].nodes.size() == 2);
  CHECK(readout.float_subgraphs[0].nodes[0]->name() == "soft");
  CHECK(readout.float_subgraphs[0].reason ==
        "output 'c' goes to 'scale' (Mul) without QuantizeLinear");
  CHECK(readout.float_nodes == 2);
}

TEST_CASE("an activation between a quantized node and QuantizeLinear is part of it", "[inspect]") {
  const auto model = model_of(
      "a = QuantizeLinear (x, s, z)  b = DequantizeLinear (a, s, z) "
      "c = DequantizeLinear <axis = 1> (w, ws)  d = MatMul (b, c)  r = Relu (d) "
      "e = QuantizeLinear (r, s, z)  y = DequantizeLinear (e, s, z)");
  const QuantizationReadout readout = read_quantization(*model);
  CHECK(readout.quantized_nodes == 2);
  CHECK(readout.float_nodes == 0);
}

TEST_CASE("a node whose output nothing reads has no partner", "[inspect]") {
  const auto model = model_of("a = QuantizeLinear (x, s, z)  y = Relu (x)");
  const QuantizationReadout readout = read_quantization(*model);
  REQUIRE(readout.unpaired.size() == 1);
  CHECK(readout.unpaired[0].reason == "nothing reads its output");
}

TEST_CASE("MatMulNBits counts as quantized where it may round what it reads to bytes",
          "[inspect]") {
  const auto is_quantized_at = [](const std::string& level) {
    const auto model = inferred_model(
        "<ir_version: 10, opset_import: [\"\": 20, \"com.microsoft\": 1]> "
        "g (float[2, 16] x, uint8[3, 1, 8] b, float[3] s) => (float[2, 3] y) "
        "{ y = com.microsoft.MatMulNBits <K = 16, N = 3, block_size = 16" +
        level + "> (x, b, s) }");
    return is_quantized(*model);
  };
  CHECK(is_quantized_at(", accuracy_level = 4"));
  CHECK_FALSE(is_quantized_at(", accuracy_level = 1"));
  CHECK_FALSE(is_quantized_at(""));
}

TEST_CASE("a model of floats has nothing to read out", "[inspect]") {
  CHECK(read_quantization(*model_of("y = Relu (x)")).is_empty());
}

}  // namespace
}  // namespace ortool
