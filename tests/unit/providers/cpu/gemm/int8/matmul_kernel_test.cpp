// Fusion into int8 matrix products: which nodes are fused, with the same bits as separate nodes.
#include "providers/cpu/gemm/int8/matmul_kernel.hpp"

#include <algorithm>
#include <string>

#include <catch2/catch.hpp>

#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

/// A model with int8 constants, factors, bias and residual; `nodes` compute `output`.
std::string model_of(std::string_view nodes, std::string_view output) {
  return "<ir_version: 8, opset_import: [\"\" : 20]>\n"
         "g (float[3,4] x) => (" +
         std::string(output) +
         ")\n"
         "<float xs = {0.01}, uint8 xz = {120}, float ws = {0.02}, float[2] wss = {0.02, 0.04},\n"
         " int8 wz = {0}, uint8 wu = {131}, float ys = {0.013}, uint8 yz = {90}, float one = {1},\n"
         " float qs = {0.02}, int8 qz = {-4}, float[2] bias = {0.25, -0.4},\n"
         " float[3,2] skip = {0.1, 0.2, 0.3, -0.4, 0.5, -0.6},\n"
         " int8[4,2] w = {11, -70, 127, 3, -128, 90, 44, -1},\n"
         " uint8[4,2] wb = {11, 70, 255, 3, 128, 90, 44, 0}>\n"
         "{ a = QuantizeLinear (x, xs, xz)\n" +
         std::string(nodes) + "}";
}

struct Outcome {
  Tensor value;
  std::vector<std::string> kernels;  ///< one per node, in order
};

Outcome run(const std::string& model, OptimizeLevel level) {
  SessionOptions options = cpu_options();
  options.optimize = level;
  const std::unique_ptr<Session> session = make_session(model, std::move(options));
  Outcome outcome;
  for (const Placement& placement : session->placement())
    outcome.kernels.push_back(placement.kernel);
  outcome.value = session->run({{"x", random_tensor(Shape{3, 4}, 3)}}, {})[0].tensor();
  return outcome;
}

/// The number of nodes in the product's kernel; checks that bits are those of separate nodes.
std::int64_t nodes_of_product(std::string_view nodes, std::string_view output) {
  const std::string model = model_of(nodes, output);
  const Outcome fused = run(model, OptimizeLevel::all);
  const Outcome single = run(model, OptimizeLevel::none);
  INFO(nodes);
  CHECK(same_bits(fused.value, single.value));
  return std::count_if(fused.kernels.begin(), fused.kernels.end(), [](const std::string& name) {
    return name.find("matmul") != std::string::npos;
  });
}

constexpr std::string_view float_output = "float[3,2] y";
constexpr std::string_view bytes = "int8[3,2] y";

TEST_CASE("a product of bytes takes what makes floats of its result, and bytes of those") {
  const std::string linear = "q = QLinearMatMul (a, xs, xz, w, ws, wz, ys, yz) ";
  CHECK(nodes_of_product(linear + "y = DequantizeLinear (q, ys, yz)", float_output) == 2);
  CHECK(nodes_of_product(linear + "f = DequantizeLinear (q, ys, yz) y = Add (f, bias)",
                         float_output) == 3);
  CHECK(nodes_of_product(linear + "f = DequantizeLinear (q, ys, yz) b = Add (bias, f) "
                                  "g = Gelu (b) y = QuantizeLinear (g, qs, qz)",
                         bytes) == 5);
  CHECK(nodes_of_product(linear + "f = DequantizeLinear (q, ys, yz) b = Add (f, skip) "
                                  "g = Relu (b) y = QuantizeLinear (g, qs, qz)",
                         bytes) == 5);
}

TEST_CASE("sums of bytes take their factors, and what follows") {
  const std::string sums = "i = MatMulInteger (a, w, xz) c = Cast <to = 1> (i) ";
  CHECK(nodes_of_product(sums + "y = Mul (c, wss)", float_output) == 3);
  CHECK(nodes_of_product(sums + "m = Mul (wss, c) b = Add (m, bias) r = Add (b, skip) "
                                "y = Relu (r)",
                         float_output) == 6);
  CHECK(nodes_of_product("i = MatMulInteger (a, wb, xz, wu) c = Cast <to = 1> (i) "
                         "m = Mul (c, ws) y = QuantizeLinear (m, qs, qz)",
                         bytes) == 4);
}

TEST_CASE("a product of bytes leaves what its kernel cannot compute") {
  const std::string linear = "q = QLinearMatMul (a, xs, xz, w, ws, wz, ys, yz) ";
  // A zero point other than the product's; an addition after an activation.
  CHECK(nodes_of_product(linear + "y = DequantizeLinear (q, ys, xz)", float_output) == 1);
  CHECK(nodes_of_product(linear + "f = DequantizeLinear (q, ys, yz) g = Gelu (f) y = Add (g, bias)",
                         float_output) == 3);
  CHECK(nodes_of_product("i = MatMulInteger (a, w, xz) c = Cast <to = 1> (i) y = Exp (c)",
                         float_output) == 2);
}

}  // namespace
}  // namespace ortool
