// Writing a model for a target: which operators the file then has.
#include "libcore/optimize/target/target.hpp"

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/text/parse.hpp"

namespace ortool {
namespace {

std::unique_ptr<Model> parse(const std::string& nodes, int opset) {
  auto model = parse_model("<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) +
                           ", \"com.microsoft\" : 1, \"ortool\" : 28, \"other\" : 1]>\n"
                           "g (float[2, 6, 8] x, float[8] w, float[8] b, int64[2, 6] ids, "
                           "float[10, 8] table) => (float[2, 6, 8] y) { " +
                           nodes + " }");
  infer_shapes(*model);
  return model;
}

std::string operators(const Model& model) {
  std::string text;
  for (const Node& node : model.graph->nodes()) {
    text += text.empty() ? "" : " ";
    if (!node.domain().empty()) text += std::string(node.domain()) + ".";
    text += node.op_type();
  }
  return text;
}

std::string for_onnx(const std::string& nodes, int opset = 13) {
  const auto model = parse(nodes, opset);
  write_for_onnx(*model);
  return operators(*model);
}

std::string for_onnxruntime(const std::string& nodes, int opset = 13) {
  const auto model = parse(nodes, opset);
  write_for_onnxruntime(*model);
  return operators(*model);
}

TEST_CASE("fused operators of com.microsoft are decomposed in the opset's operators", "[target]") {
  CHECK(for_onnx("y = com.microsoft.Gelu (x)") == "Div Erf Add Mul Mul");
  CHECK(for_onnx("y = com.microsoft.Gelu (x)", 20) == "Gelu");
  CHECK(for_onnx("y = com.microsoft.QuickGelu (x)") == "Mul Sigmoid Mul");
  CHECK(for_onnx("y = com.microsoft.SkipLayerNormalization (x, x, w, b)") ==
        "Add ReduceMean Sub Mul ReduceMean Add Sqrt Div Mul Add");
  CHECK(for_onnx("y = com.microsoft.SkipLayerNormalization (x, x, w, b)", 17) ==
        "Add LayerNormalization");
  CHECK(for_onnx("y = SimplifiedLayerNormalization (x, w)") == "Mul ReduceMean Add Sqrt Div Mul");
}

TEST_CASE("the opset is raised to the first one that has the form of an operator", "[target]") {
  auto model = parse_model(R"(
    <ir_version: 8, opset_import: ["" : 9, "ortool" : 28]>
    g (float[2, 6, 8] x) => (float[2, 6, 4] y) <int64[1] at = {0}, int64[1] end = {4}, int64[1] axis = {2}> {
      y = ortool.Slice (x, at, end, axis)
    })");
  infer_shapes(*model);
  write_for_onnx(*model);
  CHECK(operators(*model) == "Slice");
  CHECK(model->opset("") == 10);
}

TEST_CASE("ONNX Runtime's attention gets a mask with a row for each query", "[target]") {
  const auto written = [](const std::string& shapes) {
    auto model =
        parse_model("<ir_version: 8, opset_import: [\"\" : 17, \"ortool\" : 28]>\n g (" + shapes +
                    ") => (float[b, s, 8] y) { y = ortool.Attention <q_num_heads = 2, "
                    "kv_num_heads = 2> (q, k, k, m) }");
    infer_shapes(*model);
    write_for_onnxruntime(*model);
    return operators(*model);
  };
  const std::string attention = "com.microsoft.MultiHeadAttention";
  CHECK(written("float[2, 6, 8] q, float[2, 6, 8] k, float[2, 1, 1, 6] m") ==
        "Expand " + attention);
  CHECK(written("float[b, s, 8] q, float[b, s, 8] k, float[b, 1, 1, s] m") ==
        "Shape Gather Concat Expand " + attention);
  CHECK(written("float[b, s, 8] q, float[b, s, 8] k, float[1, s] m") ==
        "Shape Gather Concat Expand Unsqueeze " + attention);
  CHECK(written("float[b, s, 8] q, float[b, s, 8] k, float[b, 1, s, s] m") == attention);
  CHECK(written("float[b, 1, 8] q, float[b, s, 8] k, float[b, 1, 1, s] m") == attention);
}

TEST_CASE("ONNX Runtime keeps its convolutions on blocks of channels", "[target]") {
  std::string weights = "1";
  for (int i = 1; i < 64; ++i) weights += ", 1";
  auto model = parse_model(R"(
    <ir_version: 8, opset_import: ["" : 13, "com.microsoft.nchwc" : 1]>
    g (float[1, c, 4, 4] x) => (float[1, d, e, f] y) <float[8, 8, 1, 1] w = {)" +
                           weights + R"(}> {
      a = com.microsoft.nchwc.ReorderInput (x)
      b = com.microsoft.nchwc.Conv (a, w)
      y = com.microsoft.nchwc.ReorderOutput <channels = 8> (b)
    })");
  infer_shapes(*model);
  write_for_onnxruntime(*model);
  CHECK(operators(*model) ==
        "com.microsoft.nchwc.ReorderInput com.microsoft.nchwc.Conv "
        "com.microsoft.nchwc.ReorderOutput");
}

TEST_CASE("ortool's own operators are decomposed or written in the domain of ONNX", "[target]") {
  CHECK(for_onnx("y = ortool.Mish (x)", 13) == "Softplus Tanh Mul");
  CHECK(for_onnx("y = ortool.Mish (x)", 18) == "Mish");
  CHECK(for_onnx("y = ortool.SkipLayerNormalization (x, x, w)", 17) == "Add LayerNormalization");
  CHECK(for_onnx("y = ortool.EmbedLayerNormalization (w, b, table, ids, table, ids)", 17) ==
        "Gather Gather Add LayerNormalization");
}

TEST_CASE("the opset is raised for an operator that is not decomposed", "[target]") {
  const auto model =
      parse("y = ortool.Attention <q_num_heads = 2, kv_num_heads = 2> (x, x, x)", 17);
  write_for_onnx(*model);
  CHECK(operators(*model) == "Attention");
  CHECK(model->graph->opset("") == 23);
}

TEST_CASE("attention of com.microsoft becomes ONNX's, with masks that are added", "[target]") {
  CHECK(for_onnx("y = com.microsoft.MultiHeadAttention <num_heads = 2> (x, x, x)", 23) ==
        "Attention");
  CHECK(for_onnx("m = Cast <to = 6> (ids) "
                 "y = com.microsoft.MultiHeadAttention <num_heads = 2> (x, x, x, , m)",
                 23) == "Cast Cast Sub Mul Unsqueeze Attention");
  CHECK(for_onnx("q = Concat <axis = -1> (x, x, x) "
                 "y = ortool.SelfAttention <num_heads = 2> (q)",
                 23) == "Concat Split Attention");
}

TEST_CASE("a node without a form for the target is named", "[target]") {
  const auto model = parse("y = other.Thing (x)", 17);
  try {
    write_for_onnx(*model);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::unsupported);
    CHECK(error.message().find("other.Thing") != std::string::npos);
  }
}

TEST_CASE("onnxruntime gets its own fused operators", "[target]") {
  CHECK(for_onnxruntime("y = ortool.Gelu (x)") == "com.microsoft.Gelu");
  CHECK(for_onnxruntime("y = ortool.Gelu <approximate = \"tanh\"> (x)") ==
        "com.microsoft.FastGelu");
  CHECK(for_onnxruntime("y = ortool.Swish (x)") == "com.microsoft.QuickGelu");
  CHECK(for_onnxruntime("y = ortool.RMSNormalization (x, w)") == "SimplifiedLayerNormalization");
  CHECK(for_onnxruntime("y = ortool.SkipLayerNormalization (x, x, w, b)") ==
        "Add LayerNormalization");
  CHECK(for_onnxruntime("y = ortool.Attention <q_num_heads = 2, kv_num_heads = 2> (x, x, x)") ==
        "com.microsoft.MultiHeadAttention");
  CHECK(for_onnxruntime("y = ortool.HardSwish (x)") == "HardSigmoid Mul");
  CHECK(for_onnxruntime("q = Concat <axis = -1> (x, x, x) "
                        "y = ortool.SelfAttention <num_heads = 2> (q)") ==
        "Concat Split com.microsoft.MultiHeadAttention");
}

}  // namespace
}  // namespace ortool
