// Tests the product by weights kept in 16 bits: the bits of the product by the same in float32.
#include "kernels/cpu/gemm/fp16_weights/gemm.hpp"

#include <cstring>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cpu/types/fp16_bits.hpp"
#include "libcore/base/memory/aligned_buffer.hpp"
#include "tests/support/kernel_test.hpp"

namespace ortool::cpu {
namespace {

using test::random_floats;

/// Random floats that `type` holds exactly.
std::vector<float> narrow_floats(std::int64_t count, DataType type, std::uint32_t seed) {
  std::vector<float> values = random_floats(count, seed);
  for (float& value : values) {
    value = type == DataType::float16 ? to_float(to_float16(value)) : to_float(to_bfloat16(value));
  }
  return values;
}

/// A product with a bias of the columns, a residual and a Relu, by either form of the weights.
bool has_same_bits(const GemmSizes& sizes, DataType type, bool a_transposed, bool b_transposed,
                   Isa isa, Workers& workers) {
  const auto [m, n, k] = sizes;
  const std::vector<float> a = random_floats(m * k, 1);
  const std::vector<float> b = narrow_floats(k * n, type, 2);
  const std::vector<float> bias = random_floats(n, 3);
  const std::vector<float> residual = random_floats(m * n, 4);
  const StridedMatrix left = {a.data(), a_transposed ? m : k, a_transposed};
  const StridedMatrix right = {b.data(), b_transposed ? k : n, b_transposed};
  const Epilogue epilogue{.addend = Addend::per_column,
                          .activation = Activation::relu,
                          .added = bias.data(),
                          .residual = residual.data(),
                          .residual_stride = n};
  AlignedBuffer wide(packed_b_bytes(k, n, isa), nullptr);
  AlignedBuffer narrow(packed_fp16_b_bytes(k, n, isa), nullptr);
  AlignedBuffer wide_space(gemm_workspace_bytes(sizes, isa), nullptr);
  pack_b(k, n, right, isa, wide.as<float>(), workers);
  pack_fp16_b(k, n, right, type, isa, narrow.as<std::uint16_t>(), workers);
  std::vector<float> expected(static_cast<std::size_t>(m * n));
  std::vector<float> found(static_cast<std::size_t>(m * n), -1.0F);
  gemm(sizes, left, wide.as<float>(), expected.data(), n, epilogue, isa, wide_space.data(),
       workers);
  fp16_gemm(sizes, left, narrow.as<std::uint16_t>(), type, found.data(), n, epilogue, isa, workers);
  return test::same_bits(found, expected);
}

TEST_CASE("Weights in 16 bits give the bits of the same weights in float32") {
  const std::int64_t rows[] = {1, 2, 3, 4, 5, 13, 64, 530};
  const std::int64_t columns[] = {2, 15, 16, 17, 32, 33, 64, 100, 193};
  for (const auto& [isa, pool, workers] : test::isas_and_threads()) {
    if (isa < Isa::avx2) continue;
    for (const DataType type : {DataType::float16, DataType::bfloat16}) {
      for (const std::int64_t m : rows) {
        for (const std::int64_t n : columns) {
          const std::int64_t k = 1 + (m * 31 + n * 7) % 300;
          CAPTURE(static_cast<int>(isa), name_of(type), m, n, k);
          CHECK(has_same_bits({m, n, k}, type, n % 3 == 0, m % 2 == 0, isa, *workers));
        }
      }
      CHECK(has_same_bits({1, 200, 1500}, type, false, true, isa, *workers));
      CHECK(has_same_bits({20, 70, 1500}, type, false, false, isa, *workers));
    }
  }
}

TEST_CASE("A type in 16 bits is found where it holds all weights") {
  const auto found = [](std::initializer_list<float> values) {
    return lossless_fp16(
        Tensor::of<float>(Shape{static_cast<std::int64_t>(values.size())}, values));
  };
  CHECK(found({0.0F, -1.5F, 3.0e38F}) == std::nullopt);
  CHECK(found({0.0F, -1.5F, 0x1p100F}) == DataType::bfloat16);
  CHECK(found({0.0F, 1.0F + 0x1p-10F, 0x1p-24F}) == DataType::float16);
  CHECK(found({1.0F + 0x1p-11F}) == std::nullopt);
  CHECK(found({1.0F, std::numeric_limits<float>::infinity()}) == std::nullopt);
  CHECK(found({1.0F, std::numeric_limits<float>::quiet_NaN()}) == std::nullopt);
  CHECK(lossless_fp16(Tensor(DataType::float16, Shape{3})) == DataType::float16);
  CHECK(lossless_fp16(Tensor(DataType::float64, Shape{3})) == std::nullopt);
}

}  // namespace
}  // namespace ortool::cpu
