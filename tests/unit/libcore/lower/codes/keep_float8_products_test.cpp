// Products of float8 before a provider that multiplies some of them, and runs no node here: the
// cpu runs what lowering left.
#include "libcore/lower/codes/keep_float8_products.hpp"

#include <algorithm>
#include <string>

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/tensor/compare.hpp"
#include "libcore/tensor/convert.hpp"
#include "providers/cpu/cpu_provider.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

/// Takes all products of float8, or none for a reason.
class Float8Provider : public DeviceProvider {
 public:
  explicit Float8Provider(std::string reason) : reason_(std::move(reason)) {}

  std::string_view name() const override { return "float8"; }
  std::string version() const override { return "1"; }
  Claims claims(const Graph& graph) const override {
    Claims claims;
    for (const Node& node : graph.nodes()) claims.refused.push_back({&node, "it runs nothing"});
    return claims;
  }
  KernelPtr compile(const NodeView&, const CompileContext&) const override { return nullptr; }
  std::vector<KernelDescription> kernels() const override { return {}; }
  std::shared_ptr<const FeedMemory> keep(std::int64_t) const override { return nullptr; }
  std::string refuses_float8(const Node&) const override { return reason_; }

 private:
  std::string reason_;
};

/// Codes of 3 x 4 and of weights, which `nodes` make y of.
std::string model_of(const std::string& nodes) {
  return R"(<ir_version: 10, opset_import: ["" : 21]>
    g (TYPE[3,4] x) => (TYPE[3,2] y)
    <TYPE s = {0.25}, float f = {0}, TYPE[2] t = {0.5, 2},
     float[2,4] w0 = {1, -2, 3, 4, -5, 6, 7, 8}> {
      z = Cast <to = 17> (f)
      c = Cast <to = 17> (w0)
      q = QuantizeLinear (x, s, z)
      d = DequantizeLinear (q, s)
      )" +
         nodes + " }";
}

std::string with_type(std::string text, const std::string& type) {
  for (std::size_t at = 0; (at = text.find("TYPE")) != std::string::npos;)
    text.replace(at, 4, type);
  return text;
}

struct LoweredNodes {
  int dequantized = 0;
  int transposed = 0;
  int casts = 0;
  std::string reasons;
};

/// Lowers the model, and checks its results.
LoweredNodes lowered(const std::string& nodes, const std::string& refusal = {},
                     const std::string& type = "float", SessionOptions options = {}) {
  const std::string text = with_type(model_of(nodes), type);
  Tensor x = vector_of({1, 2, 3, 4, -5, 6, -7, 8, 9, 10, 11, -12});
  if (type != "float") x = convert(x, DataType::float16);
  x = x.reshaped(Shape{3, 4});
  SessionOptions literal = cpu_options();
  literal.optimize = OptimizeLevel::none;
  const auto expected = make_session(text, std::move(literal))->run({{"x", x}}, {});
  options.providers = {std::make_shared<const Float8Provider>(refusal), make_cpu_provider()};
  const auto session = make_session(text, std::move(options));
  CHECK(same_bits(session->run({{"x", x}}, {})[0].tensor(), expected[0].tensor()));
  LoweredNodes found;
  for (const Node& node : session->model().graph->nodes()) {
    found.dequantized += node.op_type() == "DequantizeLinear" ? 1 : 0;
    found.transposed += node.op_type() == "Transpose" ? 1 : 0;
    found.casts += node.op_type() == "Cast" ? 1 : 0;
  }
  for (const Placement& placement : session->placement()) {
    for (const std::string& reason : placement.reasons) {
      if (reason.find("float8 is") != std::string::npos)
        found.reasons += placement.op_type + ": " + reason;
    }
  }
  return found;
}

TEST_CASE("Constant codes stay float8 before a product that the first provider multiplies") {
  const LoweredNodes gemm =
      lowered("w = DequantizeLinear <axis = 0> (c, t)  y = Gemm <transB = 1> (d, w)", {});
  CHECK(gemm.dequantized == 2);
  CHECK(gemm.reasons.empty());
  const LoweredNodes matmul =
      lowered("w = DequantizeLinear <axis = 0> (c, t)  v = Transpose (w)  y = MatMul (d, v)", {});
  CHECK(matmul.dequantized == 2);
  CHECK(matmul.transposed == 0);
}

TEST_CASE("Codes of a refused product become floats, with the reason in its placement") {
  const LoweredNodes found = lowered(
      "w = DequantizeLinear <axis = 0> (c, t)  y = Gemm <transB = 1> (d, w)", "it is Tuesday");
  CHECK(found.dequantized == 1);
  CHECK(found.reasons == "Gemm: float8: float8 is multiplied as floats, since it is Tuesday");
}

TEST_CASE("Codes of a product that is pinned to another provider become floats") {
  SessionOptions options;
  options.pinned = [](const Node& node) { return node.op_type() == "Gemm" ? "cpu" : ""; };
  const LoweredNodes found =
      lowered("w = DequantizeLinear <axis = 0> (c, t)  y = Gemm <transB = 1> (d, w)", {}, "float",
              std::move(options));
  CHECK(found.dequantized == 1);
  CHECK(found.reasons.find("the node is assigned to 'cpu'") != std::string::npos);
}

TEST_CASE("Codes that something else reads too, or that only constants multiply, become floats") {
  const LoweredNodes shared = lowered(
      "w = DequantizeLinear <axis = 0> (c, t)  r = Relu (w)  a = Add (w, r)\n"
      "p = Gemm <transB = 1> (d, w)  o = Gemm <transB = 1> (d, a)  y = Add (p, o)",
      {});
  CHECK(shared.dequantized == 1);
  const LoweredNodes constant = lowered(
      "w = DequantizeLinear <axis = 0> (c, t)  p = Gemm <transB = 1> (w, w)\n"
      "o = Gemm <transB = 1> (d, w)  y = MatMul (o, p)",
      {});
  CHECK(constant.dequantized == 1);
}

TEST_CASE("Codes of a product that is promoted from float16 are dequantized to float32") {
  const std::string product =
      "w = DequantizeLinear <axis = 0> (c, t)  p = Gemm <transB = 1> (d, w)  y = Relu (p)";
  const LoweredNodes found = lowered(product, {}, "float16");
  CHECK(found.dequantized == 2);
  // That of the result alone.
  CHECK(found.casts == 1);
}

}  // namespace
}  // namespace ortool
