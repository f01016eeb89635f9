// Products of float8 on the emulated device: by the library where it has them, and otherwise of
// dequantized numbers, with the numbers of the cpu provider.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/tensor/compare.hpp"
#include "libcore/tensor/convert.hpp"
#include "tests/cuda_emulation/emulated_session.hpp"
#include "tests/support/session_support.hpp"

using namespace ortool;
using test::drawn;
using test::EmulatedSession;
using test::EmulationOptions;

namespace {

constexpr double float32_tolerance = 1e-5;
/// Of numbers that are held in 16 bits.
constexpr double half_tolerance = 1e-2;

/// A network of x, quantized to float8 as q and dequantized as d, and of weights w of that type.
/// Words in capitals are replaced.
struct Float8Model {
  std::string x = "float[5,32]";
  std::string y = "float[5,48]";
  Shape shape = {5, 32};
  std::string weights = "float[32,48] w0 = " + drawn(32 * 48, -40, 40, 1);
  std::string constants = "float[48] b = " + drawn(48, -3, 3, 2);
  std::string x_type = "17";  ///< float8e4m3fn
  std::string w_type = "17";
  std::string w_scale = "{0.0078125}";
  std::string axis = "1";  ///< of the scales
  std::string q = "q = QuantizeLinear (x, s, xz)  d = DequantizeLinear (q, s)";
  std::string nodes = "y = MatMul (d, w)";

  std::string text() const {
    std::string result = R"(<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>
      g (X x) => (Y y) <float s = {0.0625}, float zero = {0}, float[SCALES] u = SCALE, WEIGHTS,
      CONSTANTS> {
        xz = Cast <to = XTYPE> (zero)
        wz = Cast <to = WTYPE> (zero)
        QUANTIZED
        w1 = Cast <to = WTYPE> (w0)
        w = DequantizeLinear <axis = AXIS> (w1, u)
        NODES
      })";
    const bool has_one = std::count(w_scale.begin(), w_scale.end(), ',') == 0;
    const auto scales = std::count(w_scale.begin(), w_scale.end(), ',') + 1;
    const std::pair<std::string, std::string> words[] = {
        {"float[SCALES]", has_one ? "float" : "float[" + std::to_string(scales) + "]"},
        {"SCALE", w_scale},
        {"WEIGHTS", weights},
        {"CONSTANTS", constants},
        {"XTYPE", x_type},
        {"WTYPE", w_type},
        {"AXIS", axis},
        {"QUANTIZED", q},
        {"NODES", nodes},
        {"X x", x + " x"},
        {"Y y", y + " y"}};
    for (const auto& [word, with] : words) {
      for (std::size_t at = 0; (at = result.find(word, at)) != std::string::npos; at += with.size())
        result.replace(at, word.size(), with);
    }
    return result;
  }
};

/// What an emulated device did in three runs: launched, captured and replayed.
struct Float8Run {
  std::int64_t float8_products = 0;
  std::int64_t products = 0;
  std::int64_t launches = 0;
  std::string reasons;

  bool operator==(const Float8Run&) const = default;
};

Float8Run run(const Float8Model& made, const EmulationOptions& emulation = {},
              std::string_view options = {}, SessionOptions session_options = {}) {
  const std::string text = made.text();
  const bool has_halves = made.x.starts_with("float16") || made.x.starts_with("bfloat16");
  // Numbers that 16 bits hold.
  Tensor x = random_tensor(made.shape, 7);
  for (float& number : x.mutable_data<float>()) number = std::round(number * 64) / 64;
  if (has_halves) x = convert(x, made.x.front() == 'b' ? DataType::bfloat16 : DataType::float16);
  const auto expected = make_session(text)->run({{"x", x}}, {});
  const EmulatedSession emulated(text, emulation, options, std::move(session_options));
  const bool is_narrow = has_halves || options.find("16") != std::string_view::npos;
  const double tolerance = is_narrow ? half_tolerance : float32_tolerance;
  Float8Run done;
  for (int i = 0; i < 3; ++i) {
    const TensorComparison comparison = compare(emulated.run({{"x", x}}), expected[0].tensor(),
                                                {.rtol = tolerance, .atol = tolerance});
    INFO(comparison.difference << " " << comparison.max_abs_error);
    CHECK(comparison.passed);
  }
  const test::EmulationCounts& counts = emulated.device->counts();
  done.float8_products = counts.float8_products;
  done.products = counts.products;
  done.launches = counts.launches;
  for (const Placement& placement : emulated.session->placement()) {
    for (const std::string& reason : placement.reasons) done.reasons += reason + "\n";
  }
  return done;
}

/// That all products were of float8, `products` in each run, behind so many kernels.
void check_float8(const Float8Model& made, std::int64_t launches, std::int64_t products = 1,
                  std::string_view options = {}) {
  for (const bool runs_backward : {false, true}) {
    const Float8Run done = run(made, {.runs_backward = runs_backward}, options);
    CHECK(done.float8_products == 3 * products);
    CHECK(done.products == 3 * products);
    CHECK(done.launches == 3 * launches);
    CHECK(done.reasons.empty());
  }
}

/// That no product was of float8, for that reason.
void check_floats(const Float8Model& made, std::string_view reason,
                  const EmulationOptions& emulation = {}) {
  const Float8Run done = run(made, emulation);
  CHECK(done.float8_products == 0);
  CHECK(done.products == 3);
  INFO(done.reasons);
  CHECK(done.reasons.find(reason) != std::string::npos);
}

}  // namespace

TEST_CASE("a product of float8 is the library's, behind the kernel that quantizes") {
  check_float8({}, 1);
  check_float8({.x_type = "19"}, 1);
  check_float8({.w_type = "19"}, 1);
}

TEST_CASE("a product of float8 has its bias and Relu in the library's call in 16 bits alone") {
  const Float8Model given = {.nodes = "p = MatMul (d, w)  a = Add (p, b)  y = Relu (a)"};
  check_float8(given, 2);
  // The input in 16 bits, the codes, and the result in float32.
  check_float8(given, 3, 1, "precision=float16");
  check_float8(given, 3, 1, "precision=bfloat16");
}

TEST_CASE("a residual is added by the library's product of float8") {
  Float8Model given;
  given.constants = "float[5,48] r = " + drawn(240, -3, 3, 3);
  given.nodes = "p = MatMul (d, w)  a = Add (r, p)  y = Relu (a)";
  check_float8(given, 1);
}

TEST_CASE(
    "matrices of float8 are transposed for the library, constants once and ahead of the run") {
  Float8Model transposed;
  transposed.weights = "float[48,32] w0 = " + drawn(32 * 48, -40, 40, 4);
  transposed.nodes = "t = Transpose <perm = [1, 0]> (w)  y = MatMul (d, t)";
  check_float8(transposed, 1);
  Float8Model gemm = transposed;
  gemm.nodes = "y = Gemm <transB = 1, alpha = 0.5> (d, w)";
  check_float8(gemm, 1);
  // Rows of the depth: 32 x 16 codes are transposed on the device.
  Float8Model first;
  first.x = "float[32,16]";
  first.shape = {32, 16};
  first.y = "float[16,48]";
  first.nodes = "y = Gemm <transA = 1> (d, w)";
  check_float8(first, 2);
}

TEST_CASE("what Gemm adds to a product of float8 is added behind it, or by the library") {
  Float8Model given;
  given.nodes = "y = Gemm <beta = 2.0> (d, w, b)";
  // The row times beta, the codes, and the sum.
  check_float8(given, 3);
  given.constants = "float[5,48] c = " + drawn(240, -3, 3, 5);
  given.nodes = "y = Gemm (d, w, c)";
  check_float8(given, 1);
}

TEST_CASE("scales of the columns are applied behind the product of float8") {
  Float8Model given;
  std::string scales = "{0.5";
  for (int i = 1; i < 48; ++i) scales += ", 0.0" + std::to_string(i + 10);
  given.w_scale = scales + "}";
  check_float8(given, 2);
  Float8Model transposed = given;
  transposed.weights = "float[48,32] w0 = " + drawn(32 * 48, -40, 40, 6);
  transposed.axis = "0";
  transposed.nodes = "t = Transpose (w)  p = MatMul (d, t)  a = Add (b, p)  y = Relu (a)";
  check_float8(transposed, 2);
  check_float8(given, 4, 1, "precision=float16");
}

TEST_CASE("products of computed float8 are the library's, one for each head") {
  Float8Model given;
  given.x = "float[2,3,16,32]";
  given.shape = {2, 3, 16, 32};
  given.y = "float[2,3,16,16]";
  given.nodes =
      "k0 = Transpose <perm = [0, 1, 3, 2]> (x)  k = QuantizeLinear (k0, s, xz)\n"
      "kd = DequantizeLinear (k, s)  y = MatMul (d, kd)";
  // Both are quantized, and the second one is transposed twice.
  check_float8(given, 4);
}

TEST_CASE("one matrix of float8 multiplies the rows of a stack, and a stack one matrix") {
  Float8Model rows;
  rows.x = "float[2,3,32]";
  rows.shape = {2, 3, 32};
  rows.y = "float[2,3,48]";
  check_float8(rows, 1);
  Float8Model stack;
  stack.weights = "float[2,32,16] w0 = " + drawn(1024, -40, 40, 8);
  stack.y = "float[2,5,16]";
  check_float8(stack, 1);
  Float8Model vector;
  vector.x = "float[32]";
  vector.shape = {32};
  vector.y = "float[48]";
  check_float8(vector, 1);
  // More than a square of codes along both axes, in two matrices.
  Float8Model large;
  large.x = "float[3,144]";
  large.shape = {3, 144};
  large.weights = "float[2,144,80] w0 = " + drawn(23040, -9, 9, 14);
  large.y = "float[2,3,80]";
  check_float8(large, 1);
}

TEST_CASE("dequantized float8 that others read too is made for them, and multiplied as codes") {
  Float8Model given;
  given.y = "float[5,80]";
  given.nodes = "p = MatMul (d, w)  r = Relu (d)  y = Concat <axis = 1> (p, r)";
  const Float8Run done = run(given);
  CHECK(done.float8_products == 3);
}

TEST_CASE("float8 of other sizes is multiplied as floats, with the reason in the placement") {
  Float8Model deep;
  deep.x = "float[5,40]";
  deep.shape = {5, 40};
  deep.weights = "float[40,48] w0 = " + drawn(40 * 48, -40, 40, 9);
  check_floats(deep,
               "cuda: float8 is multiplied as floats, since its depth of 40 is not a multiple "
               "of 16");
  Float8Model wide;
  wide.weights = "float[32,24] w0 = " + drawn(32 * 24, -40, 40, 10);
  wide.y = "float[5,24]";
  check_floats(wide, "its 24 columns are not a multiple of 16");
}

TEST_CASE("float8 of sizes that only a run knows is multiplied as floats where they do not fit") {
  Float8Model given;
  given.x = "float[N,M]";
  given.y = "float[N,N]";
  given.nodes =
      "k0 = Transpose (x)  k = QuantizeLinear (k0, s, xz)  kd = DequantizeLinear (k, s)\n"
      "y = MatMul (d, kd)";
  given.shape = {16, 32};
  CHECK(run(given).float8_products == 3);
  given.shape = {16, 30};
  CHECK(run(given).float8_products == 0);
  given.shape = {15, 32};
  CHECK(run(given).float8_products == 0);
}

TEST_CASE("float8 is multiplied as floats where the GPU or the library cannot") {
  check_floats({}, "the GPU has compute capability 8.0 (wanted: 8.9 or later)",
               {.compute_capability = 80});
  CHECK(run({}, {.compute_capability = 89}).float8_products == 3);
  check_floats({.x_type = "19", .w_type = "19"}, "both operands are float8e5m2");
  // Known when the plan is made: both operands are dequantized by kernels.
  const Float8Run none = run({}, {.has_float8_products = false});
  CHECK(none.float8_products == 0);
  CHECK(none.products == 3);
}

TEST_CASE("what the library does not add to a product of float8 is added behind it") {
  const Float8Model given = {.nodes = "p = MatMul (d, w)  a = Add (p, b)  y = Relu (a)"};
  const Float8Run done = run(given, {.has_float8_epilogues = false}, "precision=float16");
  CHECK(done.float8_products == 3);
}

TEST_CASE("scales of blocks and of rows, and zero points, are applied to floats") {
  Float8Model rows;
  rows.w_scale = drawn(32, 1, 3, 11);
  rows.axis = "0";
  check_floats(rows, "scales of the second operand vary along other axes than the columns");
  Float8Model first;
  first.constants = "float[5] t = {1, 2, 3, 4, 5}";
  first.nodes = "e = DequantizeLinear <axis = 0> (q, t)  y = MatMul (e, w)";
  check_floats(first, "rows of the first operand have scales of their own");
  Float8Model blocks;
  blocks.constants = "float[2,48] t = " + drawn(96, 1, 3, 12);
  blocks.nodes = "v = DequantizeLinear <axis = 0, block_size = 16> (w1, t)  y = MatMul (d, v)";
  check_floats(blocks, "blocks of an operand have scales of their own");
  Float8Model shifted;
  shifted.constants = "float two = {2}";
  shifted.nodes = "z = Cast <to = 17> (two)  v = DequantizeLinear (w1, u, z)  y = MatMul (d, v)";
  check_floats(shifted, "zero points are not known to be 0");
}

TEST_CASE("models of float16 and bfloat16 with products of float8 stay on the device") {
  for (const char* type : {"float16", "bfloat16"}) {
    const auto typed = [&](std::string shape) { return type + shape; };
    Float8Model given;
    given.x = typed("[5,32]");
    given.y = typed("[5,48]");
    given.constants = typed("[48] b = ") + drawn(48, -3, 3, 2) + ", " + typed(" s2 = {0.0625}, ") +
                      typed(" u2 = {0.0078125}");
    given.nodes = "p = MatMul (d2, w2)  a = Add (p, b)  y = Relu (a)";
    given.nodes =
        "q2 = QuantizeLinear (x, s2, xz)  d2 = DequantizeLinear (q2, s2)\n"
        "w2 = DequantizeLinear (w1, u2)\n" +
        given.nodes;
    given.q = "";
    const Float8Run done = run(given, {}, "precision=float16");
    CHECK(done.float8_products == 3);
    CHECK(done.reasons.empty());
    // A product alone is in 16 bits.
    given.nodes =
        "q2 = QuantizeLinear (x, s2, xz)  d2 = DequantizeLinear (q2, s2)\n"
        "w2 = DequantizeLinear (w1, u2)  y = MatMul (d2, w2)";
    CHECK(run(given, {}, "precision=float32").float8_products == 3);
  }
}

TEST_CASE("plans of several shapes share the codes of constants") {
  Float8Model given;
  given.x = "float[N,32]";
  given.y = "float[N,48]";
  const EmulatedSession emulated(given.text());
  for (const std::int64_t rows : {3, 7}) {
    const Tensor x = random_tensor(Shape{rows, 32}, 13);
    CHECK(emulated.run({{"x", x}}).shape() == Shape{rows, 48});
  }
  CHECK(emulated.device->counts().float8_products == 2);
  CHECK(emulated.device->counts().uploads == 2);
}

TEST_CASE("GemmFloat8 of float8 is the library's product") {
  Float8Model given;
  given.constants = "float[1] t = {0.5}, float[48] b = " + drawn(48, -3, 3, 2);
  given.nodes =
      "g = com.microsoft.GemmFloat8 <beta = 1.0, alpha = 2.0, activation = \"RELU\"> (q, w1, b, s, "
      "t)\n"
      "y = Identity (g)";
  check_float8(given, 2);
  given.nodes = "y = com.microsoft.GemmFloat8 (q, w1)";
  check_float8(given, 1);
}

TEST_CASE("scales of float8 that are computed are handed to the library") {
  Float8Model given;
  given.nodes =
      "m = ReduceMax <keepdims = 0> (x)  a = Abs (m)  e = DequantizeLinear (q, a)\n"
      "y = MatMul (e, w)";
  const Float8Run done = run(given);
  CHECK(done.float8_products == 3);
}

TEST_CASE("float8 constants are floats for a product on the cpu") {
  const auto dequantizes = [](const Session& session) {
    int count = 0;
    for (const Node& node : session.model().graph->nodes())
      count += node.op_type() == "DequantizeLinear" ? 1 : 0;
    return count;
  };
  const std::string text = Float8Model().text();
  CHECK(dequantizes(*make_session(text)) == 1);
  CHECK(dequantizes(*EmulatedSession(text).session) == 2);
  SessionOptions options;
  options.pinned = [](const Node& node) { return node.op_type() == "MatMul" ? "cpu" : ""; };
  const EmulatedSession pinned(text, {}, {}, options);
  CHECK(dequantizes(*pinned.session) == 1);
  SessionOptions skipping;
  skipping.skipped_passes = {"keep-float8-products"};
  CHECK(dequantizes(*EmulatedSession(text, {}, {}, skipping).session) == 1);
}
