// Writing for target onnx: operators that sessions compute by kernels of their own.
#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/optimize/target/target.hpp"
#include "libcore/text/parse.hpp"

namespace ortool {
namespace {

/// The model of a graph in the text format, written for onnx.
std::unique_ptr<Model> plain(const std::string& graph, int opset) {
  auto model = parse_model("<ir_version: 10, opset_import: [\"\" : " + std::to_string(opset) +
                           ", \"com.microsoft\" : 1]>\n" + graph);
  infer_shapes(*model);
  write_for_onnx(*model);
  return model;
}

std::string types_of_nodes(const Model& model) {
  std::string text;
  for (const Node& node : model.graph->nodes())
    text += (text.empty() ? "" : " ") + std::string(node.op_type());
  return text;
}

const Node& node_of_type(const Model& model, std::string_view op_type) {
  for (const Node& node : model.graph->nodes()) {
    if (node.op_type() == op_type) return node;
  }
  throw std::runtime_error("no such node");
}

std::string codes(int count, int first = 0) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += (i == 0 ? "" : ", ") + std::to_string((first + 37 * i) % 256);
  return text;
}

/// A product of x with k = 32, n = 2 in blocks of 16.
std::string product(const std::string& bits, int bytes, const std::string& inputs,
                    const std::string& more = {}) {
  return "g (float[3, 32] x) => (float[3, 2] y) <uint8[2, 2, " + std::to_string(bytes / 4) +
         "] w = {" + codes(bytes) + "}, float[4] s = {0.5, 0.25, 1, 2}" + more +
         "> { y = com.microsoft.MatMulNBits <K = 32, N = 2, block_size = 16, bits = " + bits +
         "> (x, w, s" + inputs + ") }";
}

TEST_CASE("products with weights in blocks keep their codes behind DequantizeLinear", "[target]") {
  const auto model = plain(product("4", 32, ""), 17);
  CHECK(types_of_nodes(*model) == "DequantizeLinear MatMul");
  CHECK(model->opset("") == 21);
  const Node& node = node_of_type(*model, "DequantizeLinear");
  const Tensor& weights = node.input(0)->constant();
  CHECK(weights.type() == DataType::int4);
  CHECK(weights.shape() == Shape({32, 2}));
  CHECK(node.input(1)->constant().shape() == Shape({2, 2}));
  // Scales by block, then by column.
  CHECK(node.input(1)->constant().data<float>()[1] == 1.0F);
  CHECK(node.input(2) == nullptr);
}

TEST_CASE("zero points make codes unsigned, and a bias is added", "[target]") {
  const auto model =
      plain(product("8", 64, ", z, , c", ", uint8[4] z = {1, 2, 3, 4}, float[2] c = {1, 2}"), 21);
  CHECK(types_of_nodes(*model) == "DequantizeLinear MatMul Add");
  const Node& node = node_of_type(*model, "DequantizeLinear");
  CHECK(node.input(0)->constant().type() == DataType::uint8);
  const auto zeros = node.input(2)->constant().data<std::uint8_t>();
  CHECK(std::vector<int>(zeros.begin(), zeros.end()) == std::vector<int>{1, 3, 2, 4});
}

TEST_CASE("codes of 2 bits have 4 before the opset that has types of 2", "[target]") {
  const auto type = [](int opset) {
    const auto model = plain(product("2", 16, ""), opset);
    return node_of_type(*model, "DequantizeLinear").input(0)->constant().type();
  };
  CHECK(type(21) == DataType::int4);
  CHECK(type(25) == DataType::int2);
}

TEST_CASE("rows are sorted by the groups of their weights", "[target]") {
  std::string groups;
  for (int i = 0; i < 32; ++i) groups += (i == 0 ? "" : ", ") + std::to_string(1 - i % 2);
  const auto model = plain(product("4", 32, ", , g", ", int32[32] g = {" + groups + "}"), 21);
  CHECK(types_of_nodes(*model) == "Gather DequantizeLinear MatMul");
  const auto order = node_of_type(*model, "Gather").input(1)->constant().data<std::int64_t>();
  CHECK(order[0] == 1);
  CHECK(order[16] == 0);
}

TEST_CASE("weights that come at run time are unpacked by arithmetic of the opset", "[target]") {
  const auto model = plain(
      "g (float[3, 32] x, uint8[2, 2, 8] w, float[4] s) => (float[3, 2] y) { y = "
      "com.microsoft.MatMulNBits <K = 32, N = 2, block_size = 16> (x, w, s) }",
      13);
  CHECK(model->opset("") == 13);
  CHECK(types_of_nodes(*model).find("Mod") != std::string::npos);
  CHECK(types_of_nodes(*model).find("DequantizeLinear") == std::string::npos);
}

TEST_CASE("grouped attention with a cache stays in the opset of the file", "[target]") {
  const auto model = plain(
      "g (float[b, s, 16] q, float[b, 1, p, 4] k, float[b, 1, p, 4] v, int32[b] n, int32 t) => "
      "(float[b, s, 8] y, float[b, 1, r, 4] pk, float[b, 1, r, 4] pv) { y, pk, pv = "
      "com.microsoft.GroupQueryAttention <num_heads = 2, kv_num_heads = 1> (q, , , k, v, n, t) }",
      13);
  CHECK(model->opset("") == 13);
  CHECK(types_of_nodes(*model).find("Softmax") != std::string::npos);
}

TEST_CASE("a cache of a window with a bias has no plain form", "[target]") {
  CHECK_THROWS_AS(
      plain("g (float[1, 1, 12] q, float[1, 1, 4, 4] k, int32[1] n, int32 t, float[1, 1, 1, 4] a) "
            "=> (float[1, 1, 4] y, float[1, 1, 4, 4] pk, float[1, 1, 4, 4] pv) { y, pk, pv = "
            "com.microsoft.GroupQueryAttention <num_heads = 1, kv_num_heads = 1, "
            "local_window_size = 2, sliding_window_cache = 1> (q, , , k, k, n, t, , , , a) }",
            13),
      Error);
}

TEST_CASE("linear attention is a Scan over tokens", "[target]") {
  const auto model = plain(
      "g (float[1, s, 4] x) => (float[1, s, 4] y, float[1, 1, 4, 4] z) { y, z = "
      "com.microsoft.LinearAttention <q_num_heads = 1, kv_num_heads = 1, update_rule = "
      "\"linear\"> (x, x, x) }",
      17);
  CHECK(types_of_nodes(*model).find("Scan") != std::string::npos);
}

TEST_CASE("rows of a quantized table are gathered before they are unpacked", "[target]") {
  const auto model =
      plain("g (int64[2] i) => (float[2, 32] y) <uint8[3, 16] w = {" + codes(48) +
                "}, float[3, 2] s = {1, 2, 3, 4, 5, 6}> { y = com.microsoft.GatherBlockQuantized "
                "<block_size = 16> (w, i, s) }",
            13);
  CHECK(types_of_nodes(*model).starts_with("Gather Cast"));
  CHECK(model->opset("") == 13);
}

TEST_CASE("domains without operators are no longer imported", "[target]") {
  const auto model = plain("g (float[2] x) => (float[2] y) { y = com.microsoft.Gelu (x) }", 13);
  CHECK(model->graph->opsets().size() == 1);
}

TEST_CASE("the filter of a mask is finite in float16", "[target]") {
  const auto model = plain(
      "g (float16[1, 2, 4] x, int32[1, 2] m) => (float16[1, 2, 4] y) { y = "
      "com.microsoft.MultiHeadAttention <num_heads = 1, mask_filter_value = -3.4e38> (x, x, x, , "
      "m) }",
      23);
  const Node& product = node_of_type(*model, "Mul");
  constexpr std::uint16_t lowest_half = 0xFBFF;
  CHECK(product.input(1)->constant().data<std::uint16_t>()[0] == lowest_half);
}

}  // namespace
}  // namespace ortool
