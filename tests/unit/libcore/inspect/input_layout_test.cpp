// Tests of the input layout that the first convolution or pooling implies.
#include "libcore/inspect/input_layout.hpp"

#include <string>

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

std::string layout(const std::string& input, const std::string& nodes,
                   const std::string& declared = "") {
  const auto model = inferred_model("<ir_version: 10, opset_import: [\"\": 20]> g (" + input +
                                    ") => (float[] y) " + declared + " {" + nodes + "}");
  const InputLayout found = find_layout(*model->graph->inputs()[0]);
  CHECK(found.name.empty() == found.reason.empty());
  return found.name;
}

TEST_CASE("an input that a convolution or pooling takes has the channels second", "[inspect]") {
  CHECK(layout("float[1, 3, 8, 8] x", "y = MaxPool <kernel_shape = [2, 2]> (x)") == "nchw");
  CHECK(layout("float[N, C, H, W] x, float[8, 3, 3, 3] w", "y = Conv (x, w)") == "nchw");
  CHECK(layout("uint8[N, 4, 8, 8] x, float[4, 1, 3, 3] w",
               "a = Cast <to = 1> (x)  b = Relu (a)  y = Conv <group = 4> (b, w)") == "nchw");
  CHECK(layout("float[1, 3, 8, 8] x, float s, float[6, 3, 1, 1] w",
               "q = QuantizeLinear (x, s)  d = DequantizeLinear (q, s)  y = Conv (d, w)") ==
        "nchw");
}

TEST_CASE("any elementwise operator may stand before it", "[inspect]") {
  CHECK(layout("float[1, 3, 8, 8] x, float[8, 3, 3, 3] w",
               "a = Erf (x)  b = Max (a, a)  c = Softplus (b)  y = Conv (c, w)") == "nchw");
}

TEST_CASE("a convolution behind a transpose tells where the channels were", "[inspect]") {
  CHECK(layout("float[1, 8, 8, 3] x, float[6, 3, 1, 1] w",
               "a = Transpose <perm = [0, 3, 1, 2]> (x)  y = Conv (a, w)") == "nhwc");
  CHECK(layout("float[1, 8, 3, 8] x, float[6, 3, 1, 1] w",
               "a = Transpose <perm = [0, 2, 1, 3]> (x)  y = Conv (a, w)") == "");
}

TEST_CASE("rank 4 alone says nothing of a layout", "[inspect]") {
  CHECK(layout("float[batch, 4, past, 8] x, float[batch, 4, 1, 8] k",
               "y = Concat <axis = 2> (x, k)") == "");
  CHECK(layout("float[1, 3, 8, 8] x", "y = Relu (x)") == "");
  CHECK(layout("float[1, 3, 8, 8] x, int64[2] s", "a = Reshape (x, s)  y = Relu (a)") == "");
  CHECK(layout("float[8, 3, 3, 3] x, float[1, 3, 9, 9] image", "y = Conv (image, x)") == "");
}

}  // namespace
}  // namespace ortool
