// Products with block-quantized weights and rows in int8 against sums in double of the same codes;
// the same bits at every ISA level and for any number of threads.
#include "kernels/cpu/gemm/weight_only/matmul_nbits_int8.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/base/memory/aligned_buffer.hpp"
#include "tests/unit/kernels/cpu/kernel_test_support.hpp"

namespace ortool::cpu {
namespace {

struct Int8Problem {
  std::int64_t m;
  BlockMatMulSizes sizes;
  std::vector<float> a;
  std::vector<std::uint8_t> codes;
  std::vector<float> scales;
  std::vector<std::uint8_t> zeros;

  int code(const std::vector<std::uint8_t>& bytes, std::int64_t index) const {
    const int shift = static_cast<int>(index * sizes.bits % 8);
    const auto byte = bytes[static_cast<std::size_t>(index * sizes.bits / 8)];
    return byte >> shift & ((1 << sizes.bits) - 1);
  }
  int zero(std::int64_t column, std::int64_t block) const {
    if (!sizes.has_zeros) return 1 << (sizes.bits - 1);
    const std::int64_t row_bytes = (sizes.blocks() * sizes.bits + 7) / 8;
    return code(zeros, column * row_bytes * 8 / sizes.bits + block);
  }
};

Int8Problem make_int8_problem(std::int64_t m, const BlockMatMulSizes& sizes) {
  std::mt19937 random(11);
  std::uniform_real_distribution<float> number(-1, 1);
  std::uniform_int_distribution<int> byte(0, 255);
  Int8Problem problem{m, sizes, {}, {}, {}, {}};
  const auto fill = [](auto& list, std::int64_t count, auto make) {
    for (std::int64_t i = 0; i < count; ++i) list.push_back(make());
  };
  const auto any_byte = [&] { return static_cast<std::uint8_t>(byte(random)); };
  fill(problem.a, m * sizes.k, [&] { return number(random); });
  fill(problem.codes, sizes.n * sizes.blocks() * sizes.block_size * sizes.bits / 8, any_byte);
  fill(problem.scales, sizes.n * sizes.blocks(), [&] { return number(random); });
  fill(problem.zeros, sizes.n * ((sizes.blocks() * sizes.bits + 7) / 8), any_byte);
  return problem;
}

std::vector<float> compute_int8(const Int8Problem& problem, Isa isa, Workers& workers) {
  AlignedBuffer packed(packed_int8_blocks_bytes(problem.sizes), nullptr, "a test");
  pack_int8_blocks(problem.sizes,
                   {problem.codes.data(), problem.scales.data(), problem.zeros.data()},
                   packed.data());
  std::vector<float> out(static_cast<std::size_t>(problem.m * problem.sizes.n), 7.0F);
  AlignedBuffer workspace(
      int8_block_matmul_workspace_bytes(problem.m, problem.sizes, isa, workers.count()) + 64,
      nullptr, "a test");
  int8_block_matmul(problem.m, problem.sizes, problem.a.data(), packed.data(), out.data(), {}, isa,
                    workspace.data(), workers);
  return out;
}

double expected_at(const Int8Problem& problem, std::int64_t row, std::int64_t column) {
  const BlockMatMulSizes& sizes = problem.sizes;
  double sum = 0;
  for (std::int64_t block = 0; block < sizes.blocks(); ++block) {
    const std::int64_t end = std::min(sizes.k, (block + 1) * sizes.block_size);
    float most = 0;
    for (std::int64_t k = block * sizes.block_size; k < end; ++k)
      most = std::max(most, std::abs(problem.a[static_cast<std::size_t>(row * sizes.k + k)]));
    const float inverse = 127.0F / most;
    double inside = 0;
    for (std::int64_t k = block * sizes.block_size; k < end; ++k) {
      const float value = problem.a[static_cast<std::size_t>(row * sizes.k + k)] * inverse;
      const std::int64_t at = column * sizes.blocks() * sizes.block_size + k;
      inside += std::nearbyint(static_cast<double>(value)) *
                (problem.code(problem.codes, at) - problem.zero(column, block));
    }
    const float scale = problem.scales[static_cast<std::size_t>(column * sizes.blocks() + block)];
    sum += inside * static_cast<double>(most / 127.0F) * static_cast<double>(scale);
  }
  return sum;
}

}  // namespace

TEST_CASE("int8 rows by quantized blocks: exact within blocks, the same bits everywhere") {
  const BlockMatMulSizes all_sizes[] = {
      {1, 16, 16, 4, false},   {17, 100, 32, 4, true},  {40, 256, 128, 4, false},
      {33, 70, 16, 8, true},   {48, 200, 64, 8, false}, {65, 300, 256, 8, true},
      {20, 100, 32, 2, false}, {34, 130, 64, 2, true},  {16, 1000, 512, 4, true}};
  ThreadPool pool(4);
  for (const BlockMatMulSizes& sizes : all_sizes) {
    for (const std::int64_t m : {0, 1, 2, 5, 8, 16, 35, 270}) {
      const Int8Problem problem = make_int8_problem(m, sizes);
      Workers alone;
      Workers several(pool, 4);
      const std::vector<float> first = compute_int8(problem, Isa::baseline, alone);
      INFO("m " << m << " n " << sizes.n << " k " << sizes.k << " bits " << sizes.bits);
      for (std::int64_t i = 0; i < m * sizes.n; i += 1 + m * sizes.n / 50) {
        const double expected = expected_at(problem, i / sizes.n, i % sizes.n);
        const auto found = static_cast<double>(first[static_cast<std::size_t>(i)]);
        CHECK(std::abs(found - expected) <= 1e-4 * (1 + std::abs(expected)));
      }
      for (const Isa isa : test::isas_here()) {
        for (Workers* workers : {&alone, &several}) {
          const std::vector<float> out = compute_int8(problem, isa, *workers);
          CHECK((out.empty() ||
                 std::memcmp(out.data(), first.data(), out.size() * sizeof(float)) == 0));
        }
      }
    }
  }
}

}  // namespace ortool::cpu
