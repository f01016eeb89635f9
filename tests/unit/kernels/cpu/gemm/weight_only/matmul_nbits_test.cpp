// Products with block-quantized weights against reference sums in double, at every ISA level.
#include "kernels/cpu/gemm/weight_only/matmul_nbits.hpp"

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/base/memory/aligned_buffer.hpp"
#include "tests/unit/kernels/cpu/kernel_test_support.hpp"

namespace ortool::cpu {
namespace {

struct Problem {
  std::int64_t m;
  BlockMatMulSizes sizes;
  std::vector<float> a;
  std::vector<std::uint8_t> codes;
  std::vector<float> scales;
  std::vector<std::uint8_t> zeros;

  int code(std::int64_t column, std::int64_t k) const {
    const std::int64_t at = column * sizes.blocks() * sizes.block_size + k;
    return get(codes, at);
  }
  int zero(std::int64_t column, std::int64_t block) const {
    if (!sizes.has_zeros) return 1 << (sizes.bits - 1);
    const std::int64_t row = (sizes.blocks() * sizes.bits + 7) / 8 * 8 / sizes.bits;
    return get(zeros, column * row + block);
  }
  int get(const std::vector<std::uint8_t>& bytes, std::int64_t index) const {
    if (sizes.bits == 8) return bytes[static_cast<std::size_t>(index)];
    const int per_byte = 8 / sizes.bits;
    const int shift = static_cast<int>(index % per_byte) * sizes.bits;
    return bytes[static_cast<std::size_t>(index / per_byte)] >> shift & ((1 << sizes.bits) - 1);
  }
};

Problem make_problem(std::int64_t m, const BlockMatMulSizes& sizes) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> number(-1, 1);
  std::uniform_int_distribution<int> byte(0, 255);
  Problem problem{m, sizes, {}, {}, {}, {}};
  const auto fill = [](auto& list, std::int64_t count, auto make) {
    for (std::int64_t i = 0; i < count; ++i) list.push_back(make());
  };
  const auto any_byte = [&] { return static_cast<std::uint8_t>(byte(random)); };
  fill(problem.a, m * sizes.k, [&] { return number(random); });
  fill(problem.codes, sizes.n * sizes.blocks() * sizes.block_size * sizes.bits / 8, any_byte);
  fill(problem.scales, sizes.n * sizes.blocks(), [&] { return number(random); });
  if (sizes.has_zeros)
    fill(problem.zeros, sizes.n * ((sizes.blocks() * sizes.bits + 7) / 8), any_byte);
  return problem;
}

std::vector<float> compute(const Problem& problem, Isa isa, Workers& workers) {
  AlignedBuffer packed(packed_block_matrix_bytes(problem.sizes), nullptr, "a test");
  pack_block_matrix(problem.sizes,
                    {problem.codes.data(), problem.scales.data(),
                     problem.sizes.has_zeros ? problem.zeros.data() : nullptr},
                    packed.data());
  std::vector<float> out(static_cast<std::size_t>(problem.m * problem.sizes.n), 7.0F);
  AlignedBuffer workspace(
      block_matmul_workspace_bytes(problem.m, problem.sizes, isa, workers.count()) + 64, nullptr,
      "a test");
  block_matmul(problem.m, problem.sizes, problem.a.data(), packed.data(), out.data(), {}, isa,
               workspace.data(), workers);
  return out;
}

double worst_error(const Problem& problem, const std::vector<float>& out) {
  const BlockMatMulSizes& sizes = problem.sizes;
  double worst = 0;
  for (std::int64_t row = 0; row < problem.m; ++row) {
    for (std::int64_t column = 0; column < sizes.n; ++column) {
      double sum = 0;
      double size = 0;
      for (std::int64_t k = 0; k < sizes.k; ++k) {
        const std::int64_t block = k / sizes.block_size;
        const double weight =
            static_cast<double>(problem.code(column, k) - problem.zero(column, block)) *
            static_cast<double>(
                problem.scales[static_cast<std::size_t>(column * sizes.blocks() + block)]);
        const double term =
            weight * static_cast<double>(problem.a[static_cast<std::size_t>(row * sizes.k + k)]);
        sum += term;
        size += std::abs(term);
      }
      const double found =
          static_cast<double>(out[static_cast<std::size_t>(row * sizes.n + column)]);
      worst = std::max(worst, std::abs(found - sum) / (size + 1e-30));
    }
  }
  return worst;
}

TEST_CASE("products with levels in blocks are those of the weights they stand for") {
  Workers alone;
  for (const Isa isa : test::isas_here()) {
    for (const int bits : {2, 4, 8}) {
      for (const bool has_zeros : {false, true}) {
        for (const std::int64_t m : {0, 1, 3, 8, 21, 50}) {
          for (const std::int64_t n : {1, 16, 37}) {
            for (const std::int64_t k : {16, 33, 96, 525}) {
              const Problem problem = make_problem(m, {n, k, 16, bits, has_zeros});
              CAPTURE(bits, has_zeros, m, n, k);
              CHECK(worst_error(problem, compute(problem, isa, alone)) < 1e-6);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("threads change no bit of a product with levels in blocks") {
  ThreadPool pool(4);
  Workers many(pool, 4);
  Workers alone;
  for (const std::int64_t m : {5, 530}) {
    const Problem problem = make_problem(m, {203, 160, 32, 4, true});
    for (const Isa isa : test::isas_here())
      CHECK(compute(problem, isa, many) == compute(problem, isa, alone));
  }
}

}  // namespace
}  // namespace ortool::cpu
