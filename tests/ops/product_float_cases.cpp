// Builders of float product cases.
#include <array>

#include "libcore/base/format.hpp"
#include "tests/ops/product_builders.hpp"

namespace ortool::test {
namespace {

DataType float_type(ProductCases& random) {
  const std::int64_t choice = random.number(0, 9);
  if (choice == 0) return DataType::float16;
  if (choice == 1) return DataType::bfloat16;
  return choice == 2 ? DataType::float64 : DataType::float32;
}

}  // namespace

OpCase matmul(ProductCases& random) {
  const MatMulSizes sizes = matmul_sizes(random);
  const DataType type = float_type(random);
  return case_of("y = MatMul (a, b)",
                 {{"a", random.floats(sizes.a, type)}, {"b", random.floats(sizes.b, type)}});
}

OpCase gemm(ProductCases& random) {
  const std::int64_t m = random.rows();
  const std::int64_t k = random.depth();
  const std::int64_t n = random.columns();
  const DataType type = float_type(random);
  const bool transposes_a = random.chance(40);
  const bool transposes_b = random.chance(60);
  const bool scales = random.chance(30);
  std::vector<CaseTensor> inputs = {
      {"a", random.floats(transposes_a ? Sizes{k, m} : Sizes{m, k}, type)},
      {"b", random.floats(transposes_b ? Sizes{n, k} : Sizes{k, n}, type)}};
  const bool has_c = random.chance(60);
  if (has_c) {
    const std::array<Sizes, 5> shapes = {Sizes{}, {n}, {m, 1}, {m, n}, {1, n}};
    inputs.push_back(
        {"c", random.floats(shapes[static_cast<std::size_t>(random.number(0, 4))], type)});
  }
  return case_of(format("y = Gemm <transA = {}, transB = {}, alpha = {}, beta = {}> (a, b{})",
                        transposes_a ? 1 : 0, transposes_b ? 1 : 0, scales ? "0.75" : "1.0",
                        scales ? "1.25" : "1.0", has_c ? ", c" : ""),
                 std::move(inputs));
}

OpCase conv(ProductCases& random) {
  const WindowSizes sizes = window_sizes(random, false);
  const DataType type = float_type(random);
  std::vector<CaseTensor> inputs = {{"x", random.floats(sizes.x, type)},
                                    {"w", random.floats(sizes.weights, type)}};
  const bool has_bias = random.chance(50);
  if (has_bias) inputs.push_back({"b", random.floats({sizes.weights[0]}, type)});
  return case_of(format("y = Conv <{}> (x, w{})", sizes.attributes, has_bias ? ", b" : ""),
                 std::move(inputs));
}

OpCase conv_transpose(ProductCases& random) {
  const WindowSizes sizes = window_sizes(random, true);
  const DataType type = random.chance(80) ? DataType::float32 : DataType::float16;
  std::vector<CaseTensor> inputs = {{"x", random.floats(sizes.x, type)},
                                    {"w", random.floats(sizes.weights, type)}};
  const bool has_bias = random.chance(50);
  if (has_bias) inputs.push_back({"b", random.floats({sizes.weights[1] * sizes.groups}, type)});
  return case_of(format("y = ConvTranspose <{}> (x, w{})", sizes.attributes, has_bias ? ", b" : ""),
                 std::move(inputs));
}

OpCase deform_conv(ProductCases& random) {
  const std::int64_t in = random.number(1, 8);
  const std::int64_t out = random.number(1, 40);
  const std::int64_t width = random.number(3, 9);
  return case_of("y = DeformConv <pads = [1, 1, 1, 1]> (x, w, o)",
                 {{"x", random.floats({1, in, width, width})},
                  {"w", random.floats({out, in, 3, 3})},
                  {"o", random.floats({1, 18, width, width})}});
}

OpCase einsum(ProductCases& random) {
  const std::int64_t m = random.rows();
  const std::int64_t k = random.number(1, 70);
  const std::int64_t n = random.number(1, 70);
  const std::int64_t b = random.number(1, 3);
  const std::int64_t h = random.number(1, 3);
  struct Variant {
    const char* equation;
    Sizes a;
    Sizes b;
  };
  const std::array<Variant, 8> variants = {{{"ij,jk->ik", {m, k}, {k, n}},
                                            {"ij,kj->ik", {m, k}, {n, k}},
                                            {"ji,jk->ik", {k, m}, {k, n}},
                                            {"bij,jk->bik", {b, m, k}, {k, n}},
                                            {"bij,bkj->bik", {b, m, k}, {b, n, k}},
                                            {"bthd,bshd->bhts", {b, m, h, k}, {b, n, h, k}},
                                            {"bij,hkj->bhik", {b, m, k}, {h, n, k}},
                                            {"i,ij->j", {k}, {k, n}}}};
  const Variant& variant = variants[static_cast<std::size_t>(random.number(0, 7))];
  return case_of(format("y = Einsum <equation = \"{}\"> (a, b)", variant.equation),
                 {{"a", random.floats(variant.a)}, {"b", random.floats(variant.b)}});
}

OpCase recurrent(ProductCases& random) {
  struct Variant {
    const char* name;
    std::int64_t gates;
  };
  const std::array<Variant, 4> variants = {{{"LSTM", 4}, {"GRU", 3}, {"GRU", 3}, {"RNN", 1}}};
  const auto choice = static_cast<std::size_t>(random.number(0, 3));
  const auto& [name, gates] = variants[choice];
  const std::int64_t directions = random.chance(30) ? 2 : 1;
  const std::int64_t steps = random.number(1, 5);
  const std::int64_t batch = random.number(1, 6);
  const std::int64_t in = random.number(1, 70);
  const std::int64_t hidden = random.one_of({1, 3, 8, 16, 33, 40, 64});
  const DataType type = random.chance(80) ? DataType::float32 : DataType::float64;
  std::vector<CaseTensor> inputs = {
      {"x", random.floats({steps, batch, in}, type)},
      {"w", random.floats({directions, gates * hidden, in}, type)},
      {"r", random.floats({directions, gates * hidden, hidden}, type)}};
  const bool has_bias = random.chance(60);
  if (has_bias) inputs.push_back({"b", random.floats({directions, 2 * gates * hidden}, type)});
  return case_of(format("y = {} <hidden_size = {}, direction = \"{}\"{}> (x, w, r{})", name, hidden,
                        directions == 2 ? "bidirectional" : "forward",
                        choice == 2 ? ", linear_before_reset = 1" : "", has_bias ? ", b" : ""),
                 std::move(inputs));
}

OpCase attention(ProductCases& random) {
  const std::int64_t batch = random.number(1, 2);
  const std::int64_t key_heads = random.number(1, 2);
  const std::int64_t heads = key_heads * random.number(1, 3);
  const std::int64_t rows = random.rows();
  const std::int64_t keys = random.number(1, 70);
  const std::int64_t size = random.one_of({1, 3, 8, 16, 33, 64});
  return case_of(format("y = Attention <is_causal = {}> (q, k, v)", random.chance(30) ? 1 : 0),
                 {{"q", random.floats({batch, heads, rows, size})},
                  {"k", random.floats({batch, key_heads, keys, size})},
                  {"v", random.floats({batch, key_heads, keys, size})}});
}

OpCase causal_conv(ProductCases& random) {
  const std::int64_t channels = random.number(1, 40);
  return case_of("y, s = CausalConvWithState (x, w, b)",
                 {{"x", random.floats({random.number(1, 2), channels, random.number(1, 40)})},
                  {"w", random.floats({channels, 1, random.number(1, 5)})},
                  {"b", random.floats({channels})}});
}

OpCase fused_matmul(ProductCases& random) {
  const std::int64_t m = random.rows();
  const std::int64_t k = random.depth();
  const std::int64_t n = random.columns();
  const Sizes batch = random.chance(40) ? Sizes{random.number(1, 3)} : Sizes{};
  const bool transposes_a = random.chance(40);
  const bool transposes_b = random.chance(60);
  return case_of(
      format("y = com.microsoft.FusedMatMul <transA = {}, transB = {}, alpha = 0.5> (a, b)",
             transposes_a ? 1 : 0, transposes_b ? 1 : 0),
      {{"a", random.floats(transposes_a ? joined(batch, k, m) : joined(batch, m, k))},
       {"b", random.floats(transposes_b ? joined(batch, n, k) : joined(batch, k, n))}});
}

}  // namespace ortool::test
