// Unpacked weights: products with matrices beyond a session's budget give the bits of packed ones.
#include "providers/cpu/gemm/unpacked_weights.hpp"

#include <cstring>
#include <string>

#include <catch2/catch.hpp>

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/text/parse.hpp"
#include "providers/cpu/cpu_provider.hpp"
#include "tests/support/kernel_test.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

struct Product {
  std::string node;
  Shape b;
  std::int64_t k = 0;
};

/// Misaligned by one byte, as a matrix in a file may be.
Tensor unaligned(const Tensor& tensor) {
  const auto size = static_cast<std::size_t>(tensor.size_bytes());
  const auto file = std::make_shared<std::vector<std::byte>>(size + 1);
  std::memcpy(file->data() + 1, tensor.bytes(), size);
  return Tensor::view(tensor.type(), tensor.shape(), std::span(*file).subspan(1, size), file);
}

std::unique_ptr<Model> model_of(const Product& product) {
  const std::string sizes = format("{},{}", product.b[0], product.b[1]);
  auto model = parse_model(format("<ir_version: 8, opset_import: [\"\" : 17]>\n"
                                  "g (float[N,{}] x, float[{}] w, float[1] c) => (float[N,M] y) ",
                                  product.k, sizes) +
                           "{ " + product.node + " r = Relu (p) y = Neg (r) }");
  Value& w = *model->graph->find_value("w");
  const Tensor numbers = random_tensor(product.b, 7);
  model->graph->set_constant(w, unaligned(numbers));
  model->graph->make_default_constant(w);
  return model;
}

void check_same_bits(const Product& product) {
  for (const cpu::Isa isa : test::available_isas()) {
    ThreadPool pool(2);
    SessionOptions options = cpu_options(&pool);
    options.providers = {make_cpu_provider(isa)};
    const Session packed(model_of(product), options);
    options.max_packed_bytes = 0;
    const Session in_place(model_of(product), options);
    CHECK(packed.packed_bytes() > product.b.element_count() * 4 - 1);
    CHECK(in_place.packed_bytes() == 0);
    for (const std::int64_t rows : {1, 3, 6, 37}) {
      const NamedValues inputs = {
          {"x", random_tensor(Shape{rows, product.k}, static_cast<unsigned>(rows))},
          {"c", random_tensor(Shape{1}, 2)}};
      INFO(product.node << " " << product.b.to_string() << ", rows: " << rows);
      CHECK(same_bits(packed.run(inputs, {.threads = 2})[0].tensor(),
                      in_place.run(inputs, {.threads = 2})[0].tensor()));
    }
  }
}

TEST_CASE("a matrix beyond the budget gives the bits of a packed one", "[matrix_in_place]") {
  const std::string matmul = "p = MatMul (x, w)";
  check_same_bits({.node = matmul, .b = Shape{2801, 1291}, .k = 2801});
  check_same_bits({.node = matmul, .b = Shape{300, 60}, .k = 300});
  check_same_bits({.node = matmul, .b = Shape{20000, 1}, .k = 20000});
  check_same_bits({.node = "p = Gemm <transB = 1, alpha = 0.5, beta = 2.0> (x, w, c)",
                   .b = Shape{1155, 1500},
                   .k = 1500});
  check_same_bits({.node = "p = Gemm (x, w)", .b = Shape{1500, 770}, .k = 1500});
}

TEST_CASE("small matrices are packed whatever the budget, and the first that fit",
          "[matrix_in_place]") {
  const auto packed_with = [](std::int64_t max_bytes) {
    SessionOptions options = cpu_options();
    options.max_packed_bytes = max_bytes;
    return Session(
               model_of(
                   {.node = "s = MatMul (x, w) p = MatMul (s, w)", .b = Shape{256, 256}, .k = 256}),
               options)
        .packed_bytes();
  };
  constexpr std::int64_t one = 256 * 256 * 4;
  CHECK(packed_with(0) == 0);
  CHECK(packed_with(one) == one);
  CHECK(packed_with(2 * one) == 2 * one);
  SessionOptions options = cpu_options();
  options.max_packed_bytes = 0;
  const Session small(model_of({.node = "p = MatMul (x, w)", .b = Shape{64, 64}, .k = 64}),
                      options);
  CHECK(small.packed_bytes() == 64 * 64 * 4);
}

}  // namespace
}  // namespace ortool
