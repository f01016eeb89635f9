// Shapes of com.microsoft's copies of ONNX operators and of its small functions.
#include <string>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/text/parse.hpp"

namespace ortool {
namespace {

/// The types of the node's outputs, or the message of its refusal.
std::string types_of_node(const std::string& node, const std::string& inputs,
                          const std::string& constants = "") {
  const auto model = parse_model(
      "<ir_version: 10, opset_import: [\"\" : 17, \"com.microsoft\" : 1, "
      "\"com.microsoft.nchwc\" : 1, \"com.ms.internal.nhwc\" : 17]>\ng (" +
      inputs + ") => () <" + constants + "> { " + node + " }");
  try {
    infer_shapes(*model);
  } catch (const Error& error) {
    return error.message();
  }
  std::string types;
  const Node& made = *model->graph->first_node();
  for (std::int64_t i = 0; i < made.output_count(); ++i)
    types += (i > 0 ? ", " : "") + made.output(i)->type().to_string();
  return types;
}

TEST_CASE("Shapes of copies of ONNX operators") {
  CHECK(types_of_node("y = com.microsoft.ExpandDims (x, a)", "float[N, 3] x", "int32 a = {-1}") ==
        "float32[N x 3 x 1]");
  CHECK(types_of_node("y, i, c = com.microsoft.Unique (x)", "float[N] x") ==
        "float32[?], int64[N], int64[?]");
  CHECK(types_of_node("y = com.microsoft.Range (a, b)", "", "int64 a = {2}, int64 b = {7}") ==
        "int64[5]");
  CHECK(types_of_node("y = com.microsoft.TorchEmbedding (w, i)", "float[9, 4] w, int64[N, 2] i") ==
        "float32[N x 2 x 4]");
  CHECK(types_of_node("y = com.microsoft.Pad (x, p)", "float[2, 3] x",
                      "int64[4] p = {1, 0, 0, 2}") == "float32[3 x 5]");
}

TEST_CASE("Shapes of small functions follow symbols") {
  CHECK(types_of_node("y = com.microsoft.UnfoldTensor <size = 3, dim = 0, step = 2> (x)",
                      "float[N, 4] x") == "float32[(ceil(N/2) - 1) x 4 x 3]");
  CHECK(types_of_node("y = com.microsoft.Rfft (x)", "float[2, N] x") ==
        "float32[2 x (floor(N/2) + 1) x 2]");
  CHECK(types_of_node("y = com.microsoft.Irfft <signal_ndim = 1> (x)", "float[5, 2] x") ==
        "float32[8]");
  CHECK(types_of_node("y = com.microsoft.CDist (a, b)", "float[M, 4] a, float[K, 4] b") ==
        "float32[M x K]");
  CHECK(types_of_node("y, m = com.microsoft.BitmaskDropout (x)", "float[2, 33] x") ==
        "float32[2 x 33], uint32[3]");
  CHECK(types_of_node("y = com.microsoft.CropAndResize (x, r, b, s)",
                      "float[2, 3, 9, 9] x, float[R, 4] r, int32[R] b",
                      "int32[2] s = {4, 5}") == "float32[R x 3 x 4 x 5]");
}

TEST_CASE("Operands that do not fit are refused") {
  CHECK(types_of_node("y = com.microsoft.UnfoldTensor <size = 5> (x)", "float[2, 4] x") ==
        "slices of 5 elements do not fit an axis of 4");
  CHECK(types_of_node("y = com.microsoft.Inverse (x)", "float[2, 4] x").find("4") !=
        std::string::npos);
  CHECK(types_of_node("y = com.microsoft.GroupNorm <groups = 2, activation = 0> (x, g, g)",
                      "float[1, 2, 2, 3] x, float[3] g")
            .find("is not a multiple of the 2 groups") != std::string::npos);
  CHECK(types_of_node("y = com.microsoft.CDist <metric = \"yule\"> (x, x)", "float[2, 4] x")
            .find("yule") != std::string::npos);
}

TEST_CASE("Images with the channels last or in blocks have the shapes of ONNX's operators") {
  CHECK(types_of_node("y = com.microsoft.NhwcConv (x, w)",
                      "float[N, 8, 9, 3] x, float[4, 2, 5, 3] w") == "float32[N x 7 x 5 x 4]");
  CHECK(types_of_node("y = com.microsoft.NhwcFusedConv (x, w)",
                      "float[N, 8, 9, 3] x, float[4, 3, 2, 5] w") == "float32[N x 7 x 5 x 4]");
  CHECK(types_of_node("y = com.ms.internal.nhwc.MaxPool <kernel_shape = [2, 2]> (x)",
                      "float[N, 8, 9, 3] x") == "float32[N x 7 x 8 x 3]");
  CHECK(
      types_of_node("y = com.microsoft.nchwc.ReorderOutput <channels = 20, channels_last = 1> (x)",
                    "float[N, 32, 4, 5] x") == "float32[N x 4 x 5 x 20]");
  CHECK(types_of_node("y = com.microsoft.nchwc.Upsample <scales = [1, 1, 2, 3]> (x)",
                      "float[N, 32, 4, 5] x") == "float32[N x 32 x 8 x 15]");
}

}  // namespace
}  // namespace ortool
