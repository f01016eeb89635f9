// Products with constant codes, run as written and with the codes kept.
#include "libcore/lower/codes/keep_quantized_weights.hpp"

#include <cmath>
#include <string>

#include <catch2/catch.hpp>

#include "tests/support/inferred_model.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

std::string numbers(std::string_view type, std::string_view shape, std::string_view name, int count,
                    int least, int most) {
  std::string text(type);
  text += "[" + std::string(shape) + "] " + std::string(name) + " = {";
  unsigned state = 7;
  for (int i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    const int number =
        least + static_cast<int>((state >> 16) % static_cast<unsigned>(most - least));
    text += (i > 0 ? ", " : "") + std::to_string(number);
  }
  return text + "}";
}

/// Rows of 72 floats times a 72 x 64 matrix of codes, or a 64 x 72 one.
std::string model_of(const std::string& constants, const std::string& nodes) {
  return "<ir_version: 10, opset_import: [\"\" : 21]>\n"
         "g (float[r,72] x) => (float[r,64] y)\n<float[64] added = {" +
         [] {
           std::string text;
           for (int i = 0; i < 64; ++i) text += (i > 0 ? ", " : "") + std::to_string(i);
           return text;
         }() +
         "}, " + constants + ">\n{ " + nodes + " }";
}

void check_product(const std::string& constants, const std::string& nodes) {
  const std::string text = model_of(constants, nodes);
  const auto model = inferred_model(text);
  CHECK(keep_quantized_weights(*model->graph, nullptr) == 1);
  for (const std::int64_t rows : {1, 3, 60}) {
    NamedValues inputs;
    inputs.emplace_back("x", random_tensor(Shape({rows, 72}), 1));
    SessionOptions literal = cpu_options();
    literal.optimize = OptimizeLevel::none;
    const auto expected = floats(make_session(text, std::move(literal))->run(inputs, {})[0]);
    const auto found = floats(make_session(text)->run(inputs, {})[0]);
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      CHECK(std::abs(found[i] - expected[i]) < 1e-4F * (1.0F + std::abs(expected[i])));
  }
}

const std::string column_scales = numbers("float", "64", "s", 64, 1, 9);

TEST_CASE("a product by int8 levels keeps them, with a scale a column or one for all") {
  const std::string codes = numbers("int8", "72,64", "w", 72 * 64, -128, 127);
  check_product(codes + ", " + column_scales,
                "f = DequantizeLinear <axis = 1> (w, s) y = MatMul (x, f)");
  check_product(codes + ", float s = {0.5}, int8 z = {3}",
                "f = DequantizeLinear (w, s, z) p = MatMul (x, f) a = Add (p, added) y = Relu (a)");
}

TEST_CASE("a Gemm by turned uint8 levels with zero points keeps them") {
  check_product(numbers("uint8", "64,72", "w", 72 * 64, 0, 255) + ", " + column_scales + ", " +
                    numbers("uint8", "64", "z", 64, 100, 150),
                "f = DequantizeLinear <axis = 0> (w, s, z) y = Gemm <transB = 1> (x, f, added)");
}

TEST_CASE("a product by four bits in blocks keeps them") {
  check_product(numbers("int4", "72,64", "w", 72 * 64, -8, 7) + ", " +
                    numbers("float", "5,64", "s", 5 * 64, 1, 9) + ", " +
                    numbers("int4", "5,64", "z", 5 * 64, -3, 3),
                "f = DequantizeLinear <axis = 0, block_size = 16> (w, s, z) y = MatMul (x, f)");
}

TEST_CASE("a product that levels in blocks cannot say stays one of floats") {
  const auto count = [](const std::string& constants, const std::string& nodes) {
    return keep_quantized_weights(*inferred_model(model_of(constants, nodes))->graph, nullptr);
  };
  const std::string codes = numbers("int8", "72,64", "w", 72 * 64, -128, 127);
  CHECK(count(codes + ", " + numbers("float", "72", "s", 72, 1, 9),
              "f = DequantizeLinear <axis = 0> (w, s) y = MatMul (x, f)") == 0);
  CHECK(count(codes + ", " + column_scales,
              "f = DequantizeLinear <axis = 1> (w, s) y = Gemm <alpha = 2.0> (x, f)") == 0);
}

}  // namespace
}  // namespace ortool
