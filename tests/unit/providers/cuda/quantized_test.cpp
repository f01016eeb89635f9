// Quantized models on the emulated device: products and convolutions of bytes, without copies
// between providers, with the bytes of the cpu provider.
#include <algorithm>
#include <random>

#include <catch2/catch.hpp>

#include "libcore/base/format.hpp"
#include "libcore/tensor/compare.hpp"
#include "tests/cuda_emulation/emulated_session.hpp"
#include "tests/support/session_support.hpp"

using namespace ortool;
using test::drawn;
using test::EmulatedSession;

namespace {

/// An image through a convolution, one with a filter a channel, a sum with a Clip, and a mean.
std::string quantized_network() {
  return R"(<ir_version: 9, opset_import: ["" : 17]>
    g (float[1,3,9,8] x) => (float[1,8,1,1] y)
    <float s = {0.02}, float t = {0.05}, float u = {0.004}, uint8 z = {120}, int8 zero = {0},
     int8[8,3,3,3] w = )" +
         drawn(216, -127, 127, 1) + ", int8[8,1,3,3] d = " + drawn(72, -127, 127, 2) + R"(> {
      q = QuantizeLinear (x, s, z)
      xf = DequantizeLinear (q, s, z)
      wf = DequantizeLinear (w, u, zero)
      c = Conv <pads = [1, 1, 1, 1], strides = [2, 1]> (xf, wf)
      r = Relu (c)
      cq = QuantizeLinear (r, t, z)
      cf = DequantizeLinear (cq, t, z)
      df = DequantizeLinear (d, u, zero)
      e = Conv <pads = [1, 1, 1, 1], group = 8> (cf, df)
      eq = QuantizeLinear (e, t, z)
      ef = DequantizeLinear (eq, t, z)
      a = Add (cf, ef)
      aq = QuantizeLinear (a, t, z)
      af = DequantizeLinear (aq, t, z)
      m = GlobalAveragePool (af)
      mq = QuantizeLinear (m, t, z)
      y = DequantizeLinear (mq, t, z)
    })";
}

constexpr std::string_view dynamic_product = R"(<ir_version: 9, opset_import: ["" : 17]>
  g (float[N,6] x) => (float[N,3] y)
  <int8[6,3] w = {1, -2, 3, 4, -5, 6, 7, 8, -9, 10, -11, 12, -128, 127, 0, 5, -6, 7},
   float[3] ws = {0.00002, 0.03, 0.0004}, float[3] b = {0.5, -1, 2}> {
    q, s, z = DynamicQuantizeLinear (x)
    i = MatMulInteger (q, w, z)
    f = Cast <to = 1> (i)
    p = Mul (s, ws)
    m = Mul (f, p)
    y = Add (m, b)
  })";

}  // namespace

TEST_CASE("a quantized network stays on the cuda device, with the numbers of the cpu") {
  const std::string text = quantized_network();
  const Tensor x = random_tensor(Shape{1, 3, 9, 8}, 3);
  const auto expected = make_session(text)->run({{"x", x}}, {});
  for (const bool runs_backward : {false, true}) {
    const EmulatedSession emulated(text, {.runs_backward = runs_backward});
    const std::vector<std::string> providers = emulated.providers();
    CHECK(std::count(providers.begin(), providers.end(), "cpu") == 0);
    // Launched, captured and replayed.
    for (int i = 0; i < 3; ++i) CHECK(same_bits(emulated.run({{"x", x}}), expected[0].tensor()));
    CHECK(emulated.device->counts().uploads == 3);
    CHECK(emulated.device->counts().downloads == 3);
    CHECK(emulated.device->counts().products == 3);
  }
}

TEST_CASE("products of bytes run by a kernel where cuBLASLt has none") {
  const std::string text = quantized_network();
  const Tensor x = random_tensor(Shape{1, 3, 9, 8}, 4);
  const auto expected = make_session(text)->run({{"x", x}}, {});
  const EmulatedSession emulated(text, {.has_byte_products = false});
  CHECK(same_bits(emulated.run({{"x", x}}), expected[0].tensor()));
  CHECK(emulated.device->counts().products == 0);
}

TEST_CASE("values of a quantized network are the same bytes whatever the precision of floats") {
  const std::string text = quantized_network();
  // Numbers that float16 and bfloat16 hold.
  const Tensor x = Tensor::of<float>(Shape{1, 3, 9, 8}, std::vector<float>(216, 1.25F));
  const auto expected = make_session(text)->run({{"x", x}}, {});
  for (const char* precision : {"precision=float16", "precision=bfloat16"}) {
    const EmulatedSession emulated(text, {}, precision);
    CHECK(compare(emulated.run({{"x", x}}), expected[0].tensor(), {.rtol = 1e-2, .atol = 1e-3})
              .passed);
  }
}

TEST_CASE("a product that is quantized by its range is scaled by the kernel behind it") {
  const EmulatedSession emulated(dynamic_product);
  const Tensor x = random_tensor(Shape{5, 6}, 5);
  const auto expected = make_session(dynamic_product)->run({{"x", x}}, {});
  CHECK(same_bits(emulated.run({{"x", x}}), expected[0].tensor()));
  CHECK(emulated.device->counts().products == 1);
  // The range, the bytes, their rows, the product of the scales, and the scaled sums.
  CHECK(emulated.device->counts().launches == 5);
}

TEST_CASE("scales of a product stay in float32 in float16, where their product would vanish") {
  const EmulatedSession emulated(dynamic_product, {}, "precision=float16");
  const Tensor x = random_tensor(Shape{5, 6}, 6);
  const auto expected = make_session(dynamic_product)->run({{"x", x}}, {});
  CHECK(
      compare(emulated.run({{"x", x}}), expected[0].tensor(), {.rtol = 1e-2, .atol = 2e-2}).passed);
}

TEST_CASE("products of bytes of one value pack it once") {
  const EmulatedSession emulated(R"(<ir_version: 9, opset_import: ["" : 17]>
    g (uint8[4,5] x, int8[5,3] a, uint8[5,2] b) => (int32[4,3] y, int32[4,2] z)
    { y = MatMulInteger (x, a)
      z = MatMulInteger (x, b) })");
  emulated.run({{"x", Tensor(DataType::uint8, Shape{4, 5})},
                {"a", Tensor(DataType::int8, Shape{5, 3})},
                {"b", Tensor(DataType::uint8, Shape{5, 2})}});
  // Rows of x and their sums; columns of a and b and their sums; two results.
  CHECK(emulated.device->counts().launches == 8);
}

TEST_CASE("a convolution of bytes with more rows than one product takes runs slice by slice") {
  const std::string text = R"(<ir_version: 9, opset_import: ["" : 17]>
    g (uint8[1,1,1500,1500] x) => (uint8[1,2,1500,1500] y)
    <float s = {0.02}, float u = {0.01}, float t = {0.5}, uint8 z = {100}, int8 zero = {0},
     int8[2,1,3,3] w = )" + drawn(18, -127, 127, 7) +
                           R"(> {
      y = QLinearConv <pads = [1, 1, 1, 1]> (x, s, z, w, u, zero, t, z)
    })";
  Tensor x(DataType::uint8, Shape{1, 1, 1500, 1500});
  std::mt19937 generator(8);
  std::generate_n(reinterpret_cast<std::uint8_t*>(x.mutable_bytes()), x.element_count(),
                  [&] { return static_cast<std::uint8_t>(generator()); });
  const EmulatedSession emulated(text);
  const auto expected = make_session(text)->run({{"x", x}}, {});
  CHECK(same_bits(emulated.run({{"x", x}}), expected[0].tensor()));
  CHECK(emulated.device->counts().products == 2);
}

TEST_CASE("values beyond the range of float16 pass a cuda device in bfloat16") {
  const EmulatedSession emulated(R"(<ir_version: 9, opset_import: ["" : 17]>
    g (float[3] x) => (float[3] y) { a = Exp (x)  y = Mul (a, a) })",
                                 {}, "precision=bfloat16");
  const Tensor y = emulated.run({{"x", Tensor::of<float>(Shape{3}, {0, 10, 20})}});
  CHECK(y.type() == DataType::float32);
  CHECK(floats(y)[2] > 2.3e17F);
  CHECK(floats(y)[2] < 2.4e17F);
}

TEST_CASE("float8 between nodes stays on the cuda device") {
  const std::string text = R"(<ir_version: 10, opset_import: ["" : 21]>
    g (float[64,8] x) => (float[64,4] y)
    <float s = {0.02}, float[8,4] w = )" +
                           drawn(32, -9, 9, 9) + R"(> {
      c = Constant <value_float = 0.0> ()
      z = Cast <to = 17> (c)
      q = QuantizeLinear (x, s, z)
      d = DequantizeLinear (q, s, z)
      y = MatMul (d, w)
    })";
  const EmulatedSession emulated(text);
  const Tensor x = random_tensor(Shape{64, 8}, 10);
  const auto expected = make_session(text)->run({{"x", x}}, {});
  CHECK(
      compare(emulated.run({{"x", x}}), expected[0].tensor(), {.rtol = 1e-5, .atol = 1e-5}).passed);
  const std::vector<std::string> providers = emulated.providers();
  CHECK(std::count(providers.begin(), providers.end(), "cpu") == 0);
}
