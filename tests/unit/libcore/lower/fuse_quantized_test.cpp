// Fusing quantized clusters: which nodes are left.
#include "libcore/lower/fuse_quantized.hpp"

#include <string>

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

/// The operators left in the graph, in order.
std::string fused(std::string_view nodes, std::string_view outputs, int opset = 13) {
  std::string text =
      "<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) +
      "]>\n"
      "g (int8[1,2,4,4] x) => (" +
      std::string(outputs) +
      ")\n"
      "<float s = {0.5}, int8 z = {3}, int8 least = {-128}, float t = {0.25},\n"
      " int64[2] shape = {8, 4}, int8[4,2] m = {1, 2, 3, 4, 5, 6, 7, 8},\n"
      " float[4] wk = {1, 2, 3, 4}, float[4] scales = {1, 1, 2, 2}, int8[2,4] n = {1, 2, 3, 4, 5, "
      "6, 7, 8},\n"
      " int8[2,2,1,1] w = {1, 2, 3, 4}, float[2] ws = {0.5, 0.25}, float two = {2},\n"
      " float[2,1,1] slopes = {0.5, 0.25}, int64[8] pads = {0, 0, 1, 0, 0, 0, 0, 1}>\n"
      "{ xf = DequantizeLinear (x, s, z)\n" +
      std::string(nodes) + "}";
  const std::unique_ptr<Model> model = inferred_model(text);
  static_cast<void>(fuse_quantized(*model->graph, nullptr));
  std::string result;
  for (const Node& node : model->graph->nodes())
    result += (result.empty() ? "" : " ") + std::string(node.op_type());
  return result;
}

TEST_CASE("a convolution between bytes becomes one of bytes, with a Clip where Relu cuts") {
  const std::string conv =
      "wf = DequantizeLinear <axis = 0> (w, ws) c = Conv (xf, wf) r = Relu (c) ";
  CHECK(fused(conv + "y = QuantizeLinear (r, t, least)", "int8[1,2,4,4] y") == "QuantizedConv");
  CHECK(fused(conv + "y = QuantizeLinear (r, t, z)", "int8[1,2,4,4] y") == "QuantizedConv Clip");
  // Clip accepts int8 since version 12.
  CHECK(fused("wf = DequantizeLinear (w, s) c = Conv (xf, wf) r = Relu (c) "
              "y = QuantizeLinear (r, t, z)",
              "int8[1,2,4,4] y", 11)
            .find("QuantizedConv") == std::string::npos);
}

TEST_CASE("sums and functions of bytes stay bytes") {
  CHECK(fused("c = Add (xf, xf) y = QuantizeLinear (c, t, z)", "int8[1,2,4,4] y") ==
        "QuantizedBinary");
  CHECK(fused("c = Sigmoid (xf) y = QuantizeLinear (c, t, z)", "int8[1,2,4,4] y") ==
        "DequantizeLinear Sigmoid QuantizeLinear ByteLookup");
  CHECK(fused("y = QuantizeLinear (xf, s, z)", "int8[1,2,4,4] y") == "Identity");
}

TEST_CASE("a Resize that only repeats elements repeats bytes") {
  const std::string_view output = "int8[1,2,8,8] y";
  const std::string resize = "y = QuantizeLinear (c, s, z)";
  CHECK(fused("c = Resize <mode = \"nearest\"> (xf, , scales) " + resize, output) == "Resize");
  CHECK(fused("c = Resize <mode = \"linear\"> (xf, , scales) " + resize, output) ==
        "DequantizeLinear Resize QuantizeLinear");
}

TEST_CASE("functions of constants that differ from channel to channel become a table a channel") {
  const std::string end = " y = QuantizeLinear (c, t, z)";
  const std::string tables = " QuantizeLinear Reshape ChannelLookup";
  CHECK(fused("c = PRelu (xf, slopes)" + end, "int8[1,2,4,4] y") ==
        "DequantizeLinear PRelu" + tables);
  CHECK(fused("a = Mul (slopes, xf) b = Relu (a) c = Add (b, two)" + end, "int8[1,2,4,4] y") ==
        "DequantizeLinear Mul Relu Add" + tables);
  CHECK(fused("c = BatchNormalization (xf, ws, ws, ws, ws)" + end, "int8[1,2,4,4] y") ==
        "DequantizeLinear BatchNormalization" + tables);
  // Constants along the last dimension, and channels that were transposed before.
  CHECK(fused("c = Add (xf, wk)" + end, "int8[1,2,4,4] y") ==
        "DequantizeLinear Add QuantizeLinear");
  CHECK(fused("a = Transpose (xf) b = Transpose (a) c = PRelu (b, slopes)" + end,
              "int8[1,2,4,4] y") == "DequantizeLinear Transpose Transpose PRelu QuantizeLinear");
}

TEST_CASE("any elementwise operator of one computed operand becomes a table") {
  const std::string end = " y = QuantizeLinear (c, t, z)";
  CHECK(fused("c = Asinh (xf)" + end, "int8[1,2,4,4] y") ==
        "DequantizeLinear Asinh QuantizeLinear ByteLookup");
  CHECK(fused("a = Greater (xf, two) c = Cast <to = 1> (a)" + end, "int8[1,2,4,4] y") ==
        "DequantizeLinear Greater Cast QuantizeLinear ByteLookup");
  CHECK(fused("c = Sum (slopes, xf)" + end, "int8[1,2,4,4] y") ==
        "DequantizeLinear Sum QuantizeLinear Reshape ChannelLookup");
}

TEST_CASE("functions and moves in a row become one table and moves of bytes") {
  const std::string end = " y = QuantizeLinear (c, t, z)";
  const std::string pool = "MaxPool <kernel_shape = [2, 2], strides = [2, 2]> ";
  CHECK(fused("a = Sigmoid (xf) b = " + pool + "(a) c = Transpose (b)" + end, "int8[2,2,2,1] y") ==
        "DequantizeLinear Sigmoid QuantizeLinear ByteLookup MaxPool Transpose");
  CHECK(fused("a = " + pool + "(xf) b = Sigmoid (a) c = Neg (b)" + end, "int8[1,2,2,2] y") ==
        "MaxPool DequantizeLinear Sigmoid Neg QuantizeLinear ByteLookup");
  // A table before or after the pool would have to know which element the pool selects.
  CHECK(fused("a = Sigmoid (xf) b = " + pool + "(a) c = Neg (b)" + end, "int8[1,2,2,2] y") ==
        "DequantizeLinear Sigmoid MaxPool Neg QuantizeLinear");
  CHECK(fused("c = Pad (xf, pads)" + end, "int8[1,2,5,5] y") ==
        "Pad DequantizeLinear QuantizeLinear ByteLookup");
  CHECK(fused("c = Pad (xf, pads, two)" + end, "int8[1,2,5,5] y") ==
        "DequantizeLinear Pad QuantizeLinear");
}

TEST_CASE(
    "a product of bytes by constant ones is summed in integers where its result stays a float") {
  const std::string rows = "c = Reshape (x, shape) cf = DequantizeLinear (c, s, z) ";
  // The first node is common to all models here.
  const std::string sums = "DequantizeLinear Reshape MatMulInteger Cast Mul";
  CHECK(fused(rows + "mf = DequantizeLinear <axis = 1> (m, ws) y = MatMul (cf, mf)",
              "float[8,2] y") == sums);
  CHECK(fused(rows + "mf = DequantizeLinear (m, s) g = MatMul (cf, mf) y = Add (g, ws)",
              "float[8,2] y") == sums + " Add");
  CHECK(fused(rows + "nf = DequantizeLinear <axis = 0> (n, ws) "
                     "y = Gemm <transB = 1, alpha = 0.5> (cf, nf, ws)",
              "float[8,2] y") == sums + " Add");
  // Scales along k, and a product of two computed values.
  CHECK(fused(rows + "mf = DequantizeLinear <axis = 0> (m, wk) y = MatMul (cf, mf)", "float[8,2] y")
            .find("MatMulInteger") == std::string::npos);
  CHECK(fused("p = Transpose <perm = [0, 1, 3, 2]> (xf) y = MatMul (xf, p)", "float[1,2,4,4] y")
            .find("MatMulInteger") == std::string::npos);
}

TEST_CASE("floats that somebody else reads stay floats") {
  CHECK(fused("c = Mul (xf, xf) y = QuantizeLinear (c, t, z)",
              "int8[1,2,4,4] y, float[1,2,4,4] c") == "DequantizeLinear Mul QuantizeLinear");
}

}  // namespace
}  // namespace ortool
