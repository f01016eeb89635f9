// Residuals of bytes on the emulated device: added by the kernel behind a product or a convolution,
// with the bytes of the cpu provider where it adds them apart.
#include <algorithm>
#include <random>
#include <utility>

#include <catch2/catch.hpp>

#include "libcore/tensor/compare.hpp"
#include "tests/cuda_emulation/emulated_session.hpp"
#include "tests/support/session_support.hpp"

using namespace ortool;
using test::drawn;
using test::EmulatedSession;

namespace {

/// What runs on a device and on cpu alone, on bytes of all values.
struct Comparison {
  std::string text;
  std::string type = "uint8";
  Shape shape;

  Tensor input() const {
    Tensor x(type == "uint8" ? DataType::uint8 : DataType::int8, shape);
    std::mt19937 generator(11);
    std::generate_n(reinterpret_cast<std::uint8_t*>(x.mutable_bytes()), x.element_count(),
                    [&] { return static_cast<std::uint8_t>(generator()); });
    return x;
  }
  /// The kernels of one run, whose results have the bits of the cpu provider.
  std::int64_t launches(test::EmulationOptions options = {}) const {
    const NamedValues inputs = {{"x", input()}};
    const auto expected = make_session(text)->run(inputs, {});
    const EmulatedSession emulated(text, options);
    const std::vector<std::string> providers = emulated.providers();
    CHECK(std::count(providers.begin(), providers.end(), "cpu") == 0);
    CHECK(same_bits(emulated.run(inputs), expected[0].tensor()));
    return emulated.device->counts().launches;
  }
};

/// x is dequantized, convolved and quantized, and added to itself. Scales are powers of two, so
/// that every second sum is a rounding tie.
Comparison residual_conv(std::string_view type, std::string_view attributes, std::string_view shape,
                         std::string_view weights, std::string_view sum) {
  Comparison made;
  made.type = type;
  made.shape = Shape{2, 8, 5, 6};
  made.text = R"(<ir_version: 9, opset_import: ["" : 17]>
    g (TYPE[2,8,5,6] x) => (TYPE[2,8,5,6] y)
    <float s = {0.25}, float t = {0.5}, float u = {0.0078125}, TYPE z = {7}, TYPE v = {90},
     int8 zero = {0}, int8SHAPE w = WEIGHTS, float[8] b = {1, -2, 3, 0.125, 5, -6, 7, 8}> {
      xf = DequantizeLinear (x, s, z)
      wf = DequantizeLinear (w, u, zero)
      c = Conv <ATTRIBUTES> (xf, wf, b)
      cq = QuantizeLinear (c, s, v)
      cf = DequantizeLinear (cq, s, v)
      SUM
    })";
  for (const auto& [word, with] :
       {std::pair{"TYPE", type}, std::pair{"SHAPE", shape}, std::pair{"WEIGHTS", weights},
        std::pair{"<ATTRIBUTES>", attributes}, std::pair{"SUM", sum}}) {
    for (std::size_t at = 0; (at = made.text.find(word)) != std::string::npos;)
      made.text.replace(at, std::string_view(word).size(), with);
  }
  return made;
}

constexpr std::string_view own_sum = "a = Add (xf, cf)  r = Relu (a)  y = QuantizeLinear (r, t, z)";

}  // namespace

TEST_CASE("a residual of bytes is added by the kernel behind a convolution") {
  for (const char* type : {"uint8", "int8"}) {
    const std::string weights = drawn(576, -127, 127, 1);
    const Comparison dense =
        residual_conv(type, "<pads = [1, 1, 1, 1]>", "[8,8,3,3]", weights, own_sum);
    // Channels behind pixels and back, the rows of windows, and the sums.
    for (const bool runs_backward : {false, true})
      CHECK(dense.launches({.runs_backward = runs_backward}) == 4);
    const Comparison grouped = residual_conv(type, "<pads = [1, 1, 1, 1], group = 2>", "[8,4,3,3]",
                                             drawn(288, -127, 127, 2), own_sum);
    CHECK(grouped.launches() == 3);
    const Comparison depthwise = residual_conv(type, "<pads = [1, 1, 1, 1], group = 8>",
                                               "[8,1,3,3]", drawn(72, -127, 127, 3), own_sum);
    CHECK(depthwise.launches() == 3);
  }
}

TEST_CASE("a Clip between a convolution and its residual is computed by the same kernel") {
  const Comparison clipped = residual_conv("uint8", "", "[8,8,1,1]", drawn(64, -127, 127, 4),
                                           "c6 = Constant <value_float = 6.0> ()\n"
                                           "c0 = Constant <value_float = -1.0> ()\n"
                                           "k = Clip (c, c0, c6)  kq = QuantizeLinear (k, s, v)\n"
                                           "kf = DequantizeLinear (kq, t, v)\n"
                                           "a = Add (kf, xf)  y = QuantizeLinear (a, t, z)");
  CHECK(clipped.launches() == 4);
}

TEST_CASE("bytes that are multiplied, of another shape or read twice are no residual") {
  const std::string weights = drawn(64, -127, 127, 5);
  const auto conv = [&](std::string_view sum) {
    return residual_conv("uint8", "", "[8,8,1,1]", weights, sum);
  };
  const std::int64_t folded = conv(own_sum).launches();
  CHECK(conv("a = Mul (xf, cf)  y = QuantizeLinear (a, t, z)").launches() == folded + 1);
  CHECK(conv("m = Constant <value_ints = [2, 3]> ()\n"
             "h = ReduceMean <axes = [2, 3]> (xf)  hq = QuantizeLinear (h, s, z)\n"
             "hf = DequantizeLinear (hq, s, z)\n"
             "a = Add (hf, cf)  y = QuantizeLinear (a, t, z)")
            .launches() > folded);
  CHECK(conv("a = Add (cf, cf)  y = QuantizeLinear (a, t, z)").launches() == folded + 1);
}

TEST_CASE("the later one of two convolutions adds the other one's result") {
  const Comparison both = residual_conv("int8", "", "[8,8,1,1]", drawn(64, -127, 127, 6),
                                        "d = Conv (xf, wf)  dq = QuantizeLinear (d, t, z)\n"
                                        "df = DequantizeLinear (dq, t, z)\n"
                                        "a = Add (cf, df)  y = QuantizeLinear (a, t, z)");
  // Channels behind pixels, sums of each convolution, and channels before pixels.
  CHECK(both.launches() == 4);
}

TEST_CASE("a residual of bytes is added by the kernel behind a convolution over one axis") {
  Comparison line;
  line.shape = Shape{1, 4, 9};
  line.text = R"(<ir_version: 9, opset_import: ["" : 17]>
    g (uint8[1,4,9] x) => (uint8[1,4,9] y)
    <float s = {0.25}, float u = {0.0078125}, uint8 z = {7}, int8 zero = {0}, int8[4,4,3] w = )" +
              drawn(48, -127, 127, 7) + R"(> {
      xf = DequantizeLinear (x, s, z)
      wf = DequantizeLinear (w, u, zero)
      c = Conv <pads = [1, 1]> (xf, wf)
      cq = QuantizeLinear (c, s, z)
      cf = DequantizeLinear (cq, s, z)
      a = Add (cf, xf)
      y = QuantizeLinear (a, s, z)
    })";
  line.launches();
}

TEST_CASE("a residual of bytes is added by the kernel behind a matrix product") {
  Comparison product;
  product.shape = Shape{3, 5, 8};
  product.text = R"(<ir_version: 9, opset_import: ["" : 17]>
    g (uint8[N,5,8] x) => (uint8[N,5,8] y)
    <float s = {0.25}, float u = {0.0078125}, uint8 z = {7}, int8 zero = {0}, int8[8,8] w = )" +
                 drawn(64, -127, 127, 8) + R"(> {
      xf = DequantizeLinear (x, s, z)
      wf = DequantizeLinear (w, u, zero)
      c = MatMul (xf, wf)
      cq = QuantizeLinear (c, s, z)
      cf = DequantizeLinear (cq, s, z)
      a = Add (cf, xf)
      y = QuantizeLinear (a, s, z)
    })";
  // Rows of signed bytes, and the sums.
  CHECK(product.launches() == 2);
}
