// Convolutions with a depthwise post-op: which are computed together, and the same bits as alone.
#include "providers/cpu/conv/depthwise_post_op.hpp"

#include <algorithm>
#include <string>

#include <catch2/catch.hpp>

#include "kernels/cpu/conv/f32_nchwc/conv.hpp"
#include "kernels/cpu/conv/int8_nchwc/conv.hpp"
#include "kernels/cpu/isa/cpu_features.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

/// "float[shape] name = {…}", with pseudo-random numbers.
std::string floats_named(std::string_view name, std::string_view shape, int count) {
  std::string text = "float[" + std::string(shape) + "] " + std::string(name) + " = {";
  unsigned state = 11;
  for (int i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    text += (i > 0 ? ", " : "") + std::to_string(static_cast<int>(state >> 22) - 512) + ".0e-3";
  }
  return text + "}";
}

/// A network that makes 24 channels `s` of an image; `nodes` expand them to 96, which are convolved
/// by windows of 3 × 3, and compute `p`, whose mean is the result.
std::string network_of(std::string_view nodes, std::string_view size = "30,28",
                       std::string_view outputs = "float[1,24,1,1] y") {
  return "<ir_version: 8, opset_import: [\"\" : 18]>\n"
         "g (float[1,3," +
         std::string(size) + "] x) => (" + std::string(outputs) + ")\n<" +
         floats_named("ws", "24,3,3,3", 24 * 27) + ",\n" +
         floats_named("we", "96,24,1,1", 96 * 24) + ",\n" + floats_named("be", "96", 96) + ",\n" +
         floats_named("wd", "96,1,3,3", 96 * 9) + ",\n" + floats_named("bd", "96", 96) + ",\n" +
         floats_named("wp", "24,96,1,1", 24 * 96) +
         ",\n float low = {0}, float high = {6}>\n{ s = Conv <pads = [1, 1, 1, 1]> (x, ws)\n" +
         std::string(nodes) + "\n y = GlobalAveragePool (p) }";
}

bool has_blocks() {
  return cpu::blocked_layout(cpu::best_isa()) != Layout::plain;
}

std::int64_t post_ops(const Session& session) {
  return std::count_if(session.placement().begin(), session.placement().end(),
                       [](const Placement& each) {
                         return each.kernel.starts_with("conv_depthwise_nchwc") &&
                                each.op_type == "Conv";
                       }) /
         2;
}

/// Checks that the session has `expected` post-ops where there are kernels, and the bits of one
/// without, for several numbers of threads.
void check_post_ops(const std::string& text, std::int64_t expected,
                    const Shape& shape = Shape({1, 3, 30, 28})) {
  NamedValues inputs;
  inputs.emplace_back("x", random_tensor(shape, 3));
  ThreadPool pool(3);
  SessionOptions separate = cpu_options(&pool);
  separate.skipped_passes = {"append-depthwise"};
  const auto alone = make_session(text, std::move(separate));
  CHECK(post_ops(*alone) == 0);
  const auto session = make_session(text, cpu_options(&pool));
  CHECK(post_ops(*session) == (has_blocks() ? expected : 0));
  const auto wanted = alone->run(inputs, {});
  for (const int threads : {1, 3}) {
    RunOptions options;
    options.threads = threads;
    const auto found = session->run(inputs, options);
    REQUIRE(found.size() == wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      CHECK(same_bits(found[i].tensor(), wanted[i].tensor()));
  }
}

TEST_CASE("an inverted residual block expands and convolves its channels in one kernel") {
  check_post_ops(
      network_of("e = Conv (s, we, be) f = Clip (e, low, high)\n"
                 "d = Conv <group = 96, pads = [1, 1, 1, 1]> (f, wd, bd) c = Clip (d, low, high)\n"
                 "q = Conv (c, wp) p = Add (q, s)"),
      1);
}

TEST_CASE("post-ops may have strides, functions and residuals") {
  check_post_ops(
      network_of("e = Conv (s, we) t = Sigmoid (e) f = Mul (e, t)\n"
                 "d = Conv <group = 96, pads = [1, 1, 1, 1], strides = [2, 2]> (f, wd, bd)\n"
                 "u = Sigmoid (d) c = Mul (d, u) p = Conv (c, wp)"),
      1);
  check_post_ops(
      network_of("r = Conv (s, we) e = Conv (s, we, be) f = HardSwish (e)\n"
                 "d = Conv <group = 96, pads = [1, 1, 1, 1]> (f, wd, bd) a = Add (d, r)\n"
                 "c = Relu (a) p = Conv (c, wp)"),
      1);
}

TEST_CASE("values between convolutions that are read elsewhere exist whole") {
  const std::string nodes =
      "e = Conv (s, we, be) f = Relu (e)\n"
      "d = Conv <group = 96, pads = [1, 1, 1, 1]> (f, wd, bd)\n";
  check_post_ops(
      network_of(nodes + "p = Conv (d, wp)", "30,28", "float[1,24,1,1] y, float[1,96,h,w] f"), 0);
  check_post_ops(network_of(nodes + "q = Conv (d, wp) r = Conv (f, wp) p = Add (q, r)"), 0);
}

TEST_CASE("post-ops run images of any size") {
  const std::string nodes =
      "e = Conv (s, we, be) f = Relu (e)\n"
      "d = Conv <group = 96, pads = [1, 1, 1, 1]> (f, wd, bd) p = Conv (d, wp)";
  for (const auto& shape : {Shape({1, 3, 30, 28}), Shape({1, 3, 1, 1}), Shape({1, 3, 70, 1}),
                            Shape({1, 3, 1, 90}), Shape({1, 3, 75, 111})})
    check_post_ops(network_of(nodes, "H,W"), 1, shape);
}

/// "int8[shape] name = {…}", with pseudo-random numbers.
std::string bytes_named(std::string_view name, std::string_view shape, int count) {
  std::string text = "int8[" + std::string(shape) + "] " + std::string(name) + " = {";
  unsigned state = 13;
  for (int i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    text += (i > 0 ? ", " : "") + std::to_string(static_cast<int>(state >> 24) - 128);
  }
  return text + "}";
}

/// Whether this processor has a kernel for a merged group of the network below.
bool has_int8_post_ops() {
  cpu::ConvSizes dense;
  dense.channels_in = 16;
  dense.channels_out = 48;
  cpu::ConvSizes depthwise;
  depthwise.groups = depthwise.channels_in = depthwise.channels_out = 48;
  const cpu::Int8ConvAlgorithm algorithm = {cpu::best_isa()};
  return cpu::can_append_int8_depthwise(dense, algorithm, depthwise, algorithm);
}

TEST_CASE("a large int8 image between convolutions never exists whole") {
  const std::string text =
      "<ir_version: 8, opset_import: [\"\" : 18]>\n"
      "g (int8[1,16,160,150] x) => (int8[1,16,h,w] y)\n<float s = {0.02}, int8 z = {3},\n"
      " float t = {0.1}, int8 wz = {0}, float ws = {0.005},\n" +
      bytes_named("we", "48,16,1,1", 48 * 16) + ",\n" + bytes_named("wd", "48,1,3,3", 48 * 9) +
      ",\n" + bytes_named("wp", "16,48,1,1", 16 * 48) +
      ">\n{ e = QLinearConv (x, s, z, we, ws, wz, t, z)\n"
      "  d = QLinearConv <group = 48, pads = [1, 1, 1, 1]> (e, t, z, wd, ws, wz, t, z)\n"
      "  y = QLinearConv (d, t, z, wp, ws, wz, t, z) }";
  Tensor x(DataType::int8, Shape({1, 16, 160, 150}));
  unsigned state = 5;
  for (std::int8_t& byte : x.mutable_data<std::int8_t>()) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<std::int8_t>(state >> 24);
  }
  NamedValues inputs;
  inputs.emplace_back("x", x);
  SessionOptions separate = cpu_options();
  separate.skipped_passes = {"append-depthwise"};
  const auto wanted = make_session(text, std::move(separate))->run(inputs, {});
  const auto session = make_session(text);
  const auto is_merged = [](const Placement& each) {
    return each.kernel.find("conv_depthwise_nchwc") != std::string::npos;
  };
  CHECK(std::count_if(session->placement().begin(), session->placement().end(), is_merged) ==
        (has_int8_post_ops() ? 2 : 0));
  CHECK(same_bits(session->run(inputs, {})[0].tensor(), wanted[0].tensor()));
}

}  // namespace
}  // namespace ortool
