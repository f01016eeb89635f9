// Operators between int8 NCHWc convolutions use the same layout, and give the bits of NCHW ones.
#include <string>

#include <catch2/catch.hpp>

#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

/// "int8[shape] name = {…}", with pseudo-random numbers.
std::string weights(std::string_view name, std::string_view shape, int count) {
  std::string text = "int8[" + std::string(shape) + "] " + std::string(name) + " = {";
  unsigned state = 7;
  for (int i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    text += (i > 0 ? ", " : "") + std::to_string(static_cast<int>(state >> 24) - 128);
  }
  return text + "}";
}

/// "float[shape] name = {…}", with 32 scattered positive numbers.
std::string numbers(std::string_view name, std::string_view shape) {
  std::string text = "float[" + std::string(shape) + "] " + std::string(name) + " = {";
  for (int i = 0; i < 32; ++i)
    text += (i > 0 ? ", 0." : "0.") + std::to_string(1000 + i * 2731 % 8999);
  return text + "}";
}

/// Two int8 convolutions, with nodes between them that compute `e` from `cf`.
std::string network(std::string_view between) {
  return "<ir_version: 8, opset_import: [\"\" : 18]>\n"
         "g (float[1,16,9,7] x) => (float[1,8,h,w] y)\n"
         "<float s = {0.02}, uint8 z = {128}, float ws = {0.001}, float t = {0.05}, uint8 tz = "
         "{3},\n"
         " float[1,1,1,1] least = {-0.4}, int64[8] pads = {0, 0, 1, 2, 0, 0, 0, 1},\n"
         " int64[2] pixels = {2, 3}, " +
         weights("wt", "32,32,2,2", 32 * 32 * 4) + ",\n " + numbers("slopes", "32,1,1") + ", " +
         numbers("slopes_1", "32") + ", " + numbers("ones", "32") +
         ",\n float u = {0.03}, uint8 uz = {90}, uint8 two = {103}, float[4] scales = {1, 1, 2, "
         "2},\n " +
         weights("wa", "32,16,3,3", 32 * 16 * 9) + ",\n " + weights("wb", "8,32,1,1", 8 * 32) +
         ">\n"
         "{ xq = QuantizeLinear (x, s, z) xf = DequantizeLinear (xq, s, z)\n"
         "  af = DequantizeLinear (wa, ws) c = Conv <pads = [1, 1, 1, 1]> (xf, af)\n"
         "  cq = QuantizeLinear (c, t, uz) cf = DequantizeLinear (cq, t, uz)\n" +
         std::string(between) +
         "  eq = QuantizeLinear (e, u, uz) ef = DequantizeLinear (eq, u, uz)\n"
         "  bf = DequantizeLinear (wb, ws) d = Conv (ef, bf)\n"
         "  yq = QuantizeLinear (d, s, uz) y = DequantizeLinear (yq, s, uz) }";
}

void check_same_bits(std::string_view between) {
  const std::string text = network(between);
  NamedValues inputs;
  inputs.emplace_back("x", random_tensor(Shape({1, 16, 9, 7}), 1));
  SessionOptions literal = cpu_options();
  literal.optimize = OptimizeLevel::none;
  const auto expected = make_session(text, std::move(literal))->run(inputs, {});
  const auto found = make_session(text)->run(inputs, {});
  CHECK(same_bits(found[0].tensor(), expected[0].tensor()));
}

TEST_CASE("functions of bytes go over blocked ones") {
  check_same_bits("  e = HardSwish (cf)\n");
}

TEST_CASE("functions that differ from channel to channel go over blocked bytes") {
  check_same_bits("  e = PRelu (cf, slopes)\n");
  check_same_bits(
      "  n = BatchNormalization (cf, slopes_1, slopes_1, slopes_1, ones)\n"
      "  l = LeakyRelu <alpha = 0.2> (n) e = Max (l, least)\n");
  check_same_bits("  m = Mul (slopes, cf) e = Add (m, slopes)\n");
}

TEST_CASE("functions and moves in a row go over blocked bytes") {
  check_same_bits(
      "  l = LeakyRelu <alpha = 0.2> (cf) m = Max (l, least)\n"
      "  e = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (m)\n");
  check_same_bits(
      "  turned = Transpose <perm = [0, 1, 3, 2]> (cf) g = Sigmoid (turned)\n"
      "  e = Transpose <perm = [0, 1, 3, 2]> (g)\n");
  check_same_bits("  g = Sigmoid (cf) e = Pad (g, pads)\n");
  check_same_bits("  g = Pad (cf, pads) e = Sigmoid (g)\n");
}

TEST_CASE("a ConvTranspose whose windows do not overlap is a convolution of blocked bytes") {
  const std::string spread = "  tf = DequantizeLinear <axis = 1> (wt, slopes_1)\n";
  check_same_bits(spread + "  e = ConvTranspose <strides = [2, 2]> (cf, tf)\n");
  check_same_bits(spread +
                  "  b = ConvTranspose <strides = [2, 2]> (cf, tf, slopes_1) e = Relu (b)\n");
}

TEST_CASE("means of blocked bytes are those of floats") {
  check_same_bits("  e = GlobalAveragePool (cf)\n");
  check_same_bits(
      "  m = ReduceMean <keepdims = 0> (cf, pixels) mq = QuantizeLinear (m, u, uz)\n"
      "  mf = DequantizeLinear (mq, u, uz) e = Unsqueeze (mf, pixels)\n");
}

TEST_CASE("blocked bytes are multiplied by one byte a channel") {
  check_same_bits(
      "  p = GlobalAveragePool (cf) g = Sigmoid (p)\n"
      "  gq = QuantizeLinear (g, s, uz) gf = DequantizeLinear (gq, s, uz) e = Mul (gf, cf)\n");
}

TEST_CASE("blocked bytes and a number are added") {
  check_same_bits("  nf = DequantizeLinear (two, s, tz) e = Add (cf, nf)\n");
}

TEST_CASE("blocked bytes are repeated by Resize") {
  check_same_bits("  e = Resize <mode = \"nearest\"> (cf, , scales)\n");
}

TEST_CASE("blocked bytes are put behind each other") {
  check_same_bits(
      "  r = HardSwish (cf) rq = QuantizeLinear (r, u, uz) rf = DequantizeLinear (rq, u, uz)\n"
      "  f = Concat <axis = 1> (rf, cf) fq = QuantizeLinear (f, u, uz)\n"
      "  ff = DequantizeLinear (fq, u, uz) i, e = Split <axis = 1, num_outputs = 2> (ff)\n");
}

}  // namespace
}  // namespace ortool
