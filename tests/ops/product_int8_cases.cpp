// Builders of int8 and weight-only product cases.
#include "libcore/base/format.hpp"
#include "tests/ops/product_builders.hpp"

namespace ortool::test {
namespace {

DataType byte_type(ProductCases& random) {
  return random.chance(50) ? DataType::uint8 : DataType::int8;
}

Tensor bytes(ProductCases& random, DataType type, const Sizes& shape) {
  const bool is_signed = type == DataType::int8;
  return random.integers(type, shape, is_signed ? -128 : 0, is_signed ? 127 : 255);
}

}  // namespace

OpCase matmul_integer(ProductCases& random) {
  MatMulSizes sizes = matmul_sizes(random);
  const DataType a = byte_type(random);
  const DataType b = byte_type(random);
  std::vector<CaseTensor> inputs = {{"a", bytes(random, a, sizes.a)},
                                    {"b", bytes(random, b, sizes.b)}};
  const bool has_zeros = random.chance(60);
  if (has_zeros) {
    inputs.push_back({"az", bytes(random, a, {})});
    inputs.push_back({"bz", bytes(random, b, {})});
  }
  return case_of(format("y = MatMulInteger (a, b{})", has_zeros ? ", az, bz" : ""),
                 std::move(inputs));
}

OpCase qlinear_matmul(ProductCases& random) {
  const std::int64_t m = random.rows();
  const std::int64_t k = random.depth();
  const std::int64_t n = random.columns();
  const DataType a = byte_type(random);
  const DataType b = byte_type(random);
  return case_of("y = QLinearMatMul (a, as, az, b, bs, bz, ys, yz)",
                 {{"a", bytes(random, a, {m, k})},
                  {"as", Tensor::scalar(0.02F)},
                  {"az", bytes(random, a, {})},
                  {"b", bytes(random, b, {k, n})},
                  {"bs", Tensor::scalar(0.01F)},
                  {"bz", bytes(random, b, {})},
                  {"ys", Tensor::scalar(0.3F)},
                  {"yz", bytes(random, a, {})}});
}

OpCase conv_integer(ProductCases& random) {
  const WindowSizes sizes = window_sizes(random, false);
  const DataType x = DataType::uint8;
  const DataType w = byte_type(random);
  return case_of(format("y = ConvInteger <{}> (x, w, xz, wz)", sizes.attributes),
                 {{"x", bytes(random, x, sizes.x)},
                  {"w", bytes(random, w, sizes.weights)},
                  {"xz", bytes(random, x, {})},
                  {"wz", bytes(random, w, {})}});
}

OpCase qlinear_conv(ProductCases& random) {
  const WindowSizes sizes = window_sizes(random, false);
  const DataType x = byte_type(random);
  const DataType w = x == DataType::int8 ? x : byte_type(random);
  return case_of(format("y = QLinearConv <{}> (x, xs, xz, w, ws, wz, ys, yz, b)", sizes.attributes),
                 {{"x", bytes(random, x, sizes.x)},
                  {"xs", Tensor::scalar(0.02F)},
                  {"xz", bytes(random, x, {})},
                  {"w", bytes(random, w, sizes.weights)},
                  {"ws", Tensor::scalar(0.01F)},
                  {"wz", random.integers(w, {}, 0, 0)},
                  {"ys", Tensor::scalar(0.4F)},
                  {"yz", bytes(random, x, {})},
                  {"b", random.integers(DataType::int32, {sizes.weights[0]}, -5000, 5000)}});
}

OpCase matmul_n_bits(ProductCases& random) {
  const std::int64_t bits = random.one_of({2, 4, 8});
  const std::int64_t block = random.one_of({16, 32, 128});
  const std::int64_t level = random.one_of({0, 4});
  const std::int64_t n = random.number(1, 70);
  const std::int64_t k = random.number(1, 150);
  const std::int64_t blocks = (k + block - 1) / block;
  std::vector<CaseTensor> inputs = {
      {"a", random.floats({random.rows(), k})},
      {"b", random.integers(DataType::uint8, {n, blocks, block * bits / 8}, 0, 255)},
      {"s", random.floats({n * blocks})}};
  const bool has_zeros = random.chance(50);
  if (has_zeros) {
    inputs.push_back(
        {"z", random.integers(DataType::uint8, {n * ((blocks * bits + 7) / 8)}, 0, 255)});
  }
  return case_of(
      format("y = com.microsoft.MatMulNBits <K = {}, N = {}, bits = {}, block_size = {}, "
             "accuracy_level = {}> (a, b, s{})",
             k, n, bits, block, level, has_zeros ? ", z" : ""),
      std::move(inputs));
}

OpCase dynamic_lstm(ProductCases& random) {
  const std::int64_t batch = random.number(1, 4);
  const std::int64_t in = random.number(1, 40);
  const std::int64_t hidden = random.one_of({1, 3, 16, 33});
  const DataType type = byte_type(random);
  return case_of(
      format(
          "y = com.microsoft.DynamicQuantizeLSTM <hidden_size = {}> (x, w, r, b, , , , , ws, wz, "
          "rs, rz)",
          hidden),
      {{"x", random.floats({random.number(1, 4), batch, in})},
       {"w", bytes(random, type, {1, in, 4 * hidden})},
       {"r", bytes(random, type, {1, hidden, 4 * hidden})},
       {"b", random.floats({1, 8 * hidden})},
       {"ws", Tensor::of<float>({1}, {0.01F})},
       {"wz", bytes(random, type, {1})},
       {"rs", Tensor::of<float>({1}, {0.02F})},
       {"rz", bytes(random, type, {1})}});
}

}  // namespace ortool::test
