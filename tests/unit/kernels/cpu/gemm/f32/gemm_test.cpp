// Tests the float32 matrix product of every ISA level against sums in double.
#include "kernels/cpu/gemm/f32/gemm.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include <catch2/catch.hpp>

#include "tests/unit/kernels/cpu/kernel_test_support.hpp"
#include "tests/unit/kernels/cpu/window_test_support.hpp"

namespace ortool::cpu {
namespace {

using test::activated;
using test::RandomValues;

struct Case {
  GemmSizes sizes;
  std::vector<float> a;
  std::vector<float> b;
  std::vector<float> added;
  std::vector<float> residual;
  StridedMatrix a_in;
  StridedMatrix b_in;
  std::int64_t c_stride = 0;
  Epilogue epilogue;

  float a_at(std::int64_t row, std::int64_t k) const {
    return a_in.data[a_in.transposed ? k * a_in.stride + row : row * a_in.stride + k];
  }
  float b_at(std::int64_t k, std::int64_t column) const {
    return b_in.data[b_in.transposed ? column * b_in.stride + k : k * b_in.stride + column];
  }
};

Case make_case(RandomValues& numbers, const GemmSizes& sizes) {
  Case one;
  one.sizes = sizes;
  const auto [m, n, k] = sizes;
  one.a_in.transposed = numbers.flip();
  one.b_in.transposed = numbers.flip();
  one.a_in.stride = (one.a_in.transposed ? m : k) + numbers.between(0, 3);
  one.b_in.stride = (one.b_in.transposed ? k : n) + numbers.between(0, 3);
  one.a = numbers.floats((one.a_in.transposed ? k : m) * one.a_in.stride);
  one.b = numbers.floats((one.b_in.transposed ? n : k) * one.b_in.stride);
  one.a_in.data = one.a.data();
  one.b_in.data = one.b.data();
  one.c_stride = n + numbers.between(0, 5);
  Epilogue& epilogue = one.epilogue;
  epilogue.alpha = numbers.flip() ? 1.0F : 0.5F;
  epilogue.beta = numbers.flip() ? 1.0F : -1.5F;
  epilogue.addend = static_cast<Addend>(numbers.between(0, 4));
  epilogue.added_stride = n + numbers.between(0, 3);
  one.added = numbers.floats(std::max<std::int64_t>(m * epilogue.added_stride, m + n + 1));
  epilogue.added = one.added.data();
  if (numbers.flip()) {
    epilogue.residual_stride = n + numbers.between(0, 3);
    one.residual = numbers.floats(m * epilogue.residual_stride);
    epilogue.residual = one.residual.data();
  }
  epilogue.activation = static_cast<Activation>(numbers.between(0, 4));
  epilogue.low = epilogue.activation == Activation::clip ? -0.5F : 0.1F;
  epilogue.high = epilogue.activation == Activation::clip ? 0.75F : 0.5F;
  return one;
}

/// The largest excess of an element's error over the allowed one; at most 0 if all are within it.
double worst_excess(const Case& one, const std::vector<float>& c) {
  double worst = -1;
  const Epilogue& epilogue = one.epilogue;
  for (std::int64_t row = 0; row < one.sizes.m; ++row) {
    for (std::int64_t column = 0; column < one.sizes.n; ++column) {
      double sum = 0;
      double magnitude = 0;
      for (std::int64_t k = 0; k < one.sizes.k; ++k) {
        const double term = double{one.a_at(row, k)} * one.b_at(k, column);
        sum += term;
        magnitude += std::fabs(term);
      }
      sum *= epilogue.alpha;
      double added = 0;
      if (epilogue.addend == Addend::scalar) added = epilogue.added[0];
      if (epilogue.addend == Addend::per_row) added = epilogue.added[row];
      if (epilogue.addend == Addend::per_column) added = epilogue.added[column];
      if (epilogue.addend == Addend::full) {
        added = epilogue.added[row * epilogue.added_stride + column];
      }
      sum += added * epilogue.beta;
      magnitude += std::fabs(added * epilogue.beta);
      if (epilogue.residual != nullptr) {
        const double residual = epilogue.residual[row * epilogue.residual_stride + column];
        sum += residual;
        magnitude += std::fabs(residual);
      }
      const double expected = activated(sum, epilogue);
      const double error =
          std::fabs(expected - c[static_cast<std::size_t>(row * one.c_stride + column)]);
      double allowed = test::allowed_error(one.sizes.k, magnitude);
      if (epilogue.activation == Activation::hard_swish) allowed *= 1.0 + std::fabs(sum);
      worst = std::max(worst, std::isnan(error) ? 1e30 : error - allowed);
    }
  }
  return worst;
}

enum class Algorithm { packed, unpacked, batched };

std::vector<float> run(const Case& one, Isa isa, int threads, Algorithm algorithm) {
  ThreadPool pool(threads);
  Workers workers(pool, threads);
  const auto [m, n, k] = one.sizes;
  constexpr float untouched = 12345.0F;
  std::vector<float> c(static_cast<std::size_t>(m * one.c_stride), untouched);
  if (algorithm == Algorithm::packed) {
    AlignedBuffer packed = test::bytes(packed_b_bytes(k, n, isa));
    pack_b(k, n, one.b_in, isa, packed.as<float>(), workers);
    AlignedBuffer workspace = test::bytes(gemm_workspace_bytes(one.sizes, isa));
    gemm(one.sizes, one.a_in, packed.as<float>(), c.data(), one.c_stride, one.epilogue, isa,
         workspace.data(), workers);
  } else if (algorithm == Algorithm::unpacked) {
    AlignedBuffer workspace = test::bytes(gemm_unpacked_workspace_bytes(one.sizes, isa));
    gemm_unpacked(one.sizes, one.a_in, one.b_in, c.data(), one.c_stride, one.epilogue, isa,
                  workspace.data(), workers);
  } else {
    const GemmOffsets offsets[1] = {};
    AlignedBuffer workspace = test::bytes(gemm_batched_workspace_bytes(1, one.sizes, isa, threads));
    gemm_batched(offsets, one.sizes, one.a_in, one.b_in, c.data(), one.c_stride, one.epilogue, isa,
                 workspace.data(), workers);
  }
  for (std::int64_t row = 0; row < m; ++row) {
    for (std::int64_t column = n; column < one.c_stride; ++column) {
      REQUIRE(c[static_cast<std::size_t>(row * one.c_stride + column)] == untouched);
    }
  }
  return c;
}

void check(RandomValues& numbers, const GemmSizes& sizes) {
  const Case one = make_case(numbers, sizes);
  CAPTURE(sizes.m, sizes.n, sizes.k, one.a_in.transposed, one.b_in.transposed,
          static_cast<int>(one.epilogue.addend), static_cast<int>(one.epilogue.activation));
  for (const Isa isa : test::isas_here()) {
    CAPTURE(isa_name(isa));
    const std::vector<float> packed = run(one, isa, 1, Algorithm::packed);
    for (const Algorithm algorithm : {Algorithm::packed, Algorithm::unpacked, Algorithm::batched}) {
      CAPTURE(static_cast<int>(algorithm));
      const std::vector<float> c = run(one, isa, 1, algorithm);
      REQUIRE(worst_excess(one, c) <= 0);
      REQUIRE(std::memcmp(c.data(), packed.data(), c.size() * sizeof(float)) == 0);
      for (const int threads : {2, 4, 8}) {
        const std::vector<float> again = run(one, isa, threads, algorithm);
        REQUIRE(std::memcmp(c.data(), again.data(), c.size() * sizeof(float)) == 0);
      }
    }
  }
}

/// Splits b into ranges of columns, packs each as its own matrix, and reassembles the product.
std::vector<float> run_in_pieces(const Case& one, const std::vector<std::int64_t>& counts, Isa isa,
                                 int threads) {
  ThreadPool pool(threads);
  Workers workers(pool, threads);
  const auto [m, n, k] = one.sizes;
  std::vector<AlignedBuffer> packed;
  std::vector<std::vector<float>> results;
  std::vector<GemmColumns> pieces;
  std::int64_t first = 0;
  for (const std::int64_t count : counts) {
    StridedMatrix b = one.b_in;
    b.data += b.transposed ? first * b.stride : first;
    packed.push_back(test::bytes(packed_b_bytes(k, count, isa)));
    pack_b(k, count, b, isa, packed.back().as<float>(), workers);
    results.emplace_back(static_cast<std::size_t>(m * count));
    pieces.push_back({count, packed.back().as<float>(), results.back().data()});
    first += count;
  }
  AlignedBuffer workspace = test::bytes(gemm_workspace_bytes(one.sizes, isa));
  gemm_columns(one.sizes, one.a_in, pieces, one.epilogue, isa, workspace.data(), workers);
  std::vector<float> c(static_cast<std::size_t>(m * one.c_stride));
  first = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    for (std::int64_t row = 0; row < m; ++row) {
      std::copy_n(results[i].data() + row * counts[i], counts[i],
                  c.data() + row * one.c_stride + first);
    }
    first += counts[i];
  }
  return c;
}

TEST_CASE("a product stored in pieces is that product", "[gemm]") {
  RandomValues numbers(7);
  const std::vector<std::int64_t> cuts[] = {{64, 96, 80}, {768, 768}, {1, 70, 100}, {5}, {8, 3, 1}};
  for (const std::vector<std::int64_t>& counts : cuts) {
    for (const std::int64_t m : {1, 4, 5, 37, 400}) {
      std::int64_t n = 0;
      for (const std::int64_t count : counts) n += count;
      const Case one = make_case(numbers, {m, n, n > 1000 ? 9 : 1000});
      CAPTURE(m, n, one.sizes.k, static_cast<int>(one.epilogue.addend), one.a_in.transposed);
      for (const Isa isa : test::isas_here()) {
        CAPTURE(isa_name(isa));
        const std::vector<float> c = run_in_pieces(one, counts, isa, 1);
        REQUIRE(worst_excess(one, c) <= 0);
        REQUIRE(run_in_pieces(one, counts, isa, 3) == c);
      }
    }
  }
}

TEST_CASE("one row by a matrix has the same bits packed and where it lies", "[gemm]") {
  const std::uint32_t seed = 20264;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (int round = 0; round < 150; ++round)
    check(numbers, {1, numbers.between(1, 70), numbers.between(1, 40)});
  for (const std::int64_t k : {63, 64, 65, 1024, 1029}) check(numbers, {1, 35, k});
}

TEST_CASE("GEMM agrees with sums in double for random sizes", "[gemm]") {
  const std::uint32_t seed = 20261;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (int round = 0; round < 60; ++round) {
    check(numbers, {numbers.between(1, 70), numbers.between(1, 90), numbers.between(1, 80)});
  }
}

TEST_CASE("GEMM agrees with sums in double for thin and long products", "[gemm]") {
  const std::uint32_t seed = 20262;
  CAPTURE(seed);
  RandomValues numbers(seed);
  const GemmSizes cases[] = {{1, 1, 1},     {1, 1, 777},  {1, 1000, 300}, {1000, 1, 300},
                             {2, 65, 513},  {3, 500, 64}, {4, 130, 257},  {5, 33, 1025},
                             {150, 2, 300}, {29, 17, 0},  {1, 40, 0},     {40, 1, 0},
                             {300, 40, 520}};
  for (const GemmSizes& sizes : cases) {
    for (int round = 0; round < 4; ++round) check(numbers, sizes);
  }
}

TEST_CASE("GEMM with rows for several chunks agrees with sums in double", "[gemm]") {
  const std::uint32_t seed = 20263;
  CAPTURE(seed);
  RandomValues numbers(seed);
  check(numbers, {150, 40, 5000});
}

TEST_CASE("GEMM of few rows by a matrix from afar agrees with sums in double", "[gemm]") {
  const std::uint32_t seed = 20264;
  CAPTURE(seed);
  RandomValues numbers(seed);
  check(numbers, {9, 513, 1030});
}

TEST_CASE("GEMM of nothing touches nothing", "[gemm]") {
  Workers workers;
  for (const Isa isa : test::isas_here()) {
    for (const GemmSizes& sizes : {GemmSizes{0, 5, 5}, GemmSizes{5, 0, 5}}) {
      const std::vector<float> operand(64, 1.0F);
      float c = 7.0F;
      AlignedBuffer workspace = test::bytes(gemm_unpacked_workspace_bytes(sizes, isa));
      gemm_unpacked(sizes, {operand.data(), 5}, {operand.data(), 5}, &c, 5, {}, isa,
                    workspace.data(), workers);
      REQUIRE(c == 7.0F);
    }
  }
}

TEST_CASE("GEMM lets NaN through its activations", "[gemm]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Workers workers;
  for (const Isa isa : test::isas_here()) {
    for (const Activation activation :
         {Activation::relu, Activation::clip, Activation::leaky_relu}) {
      for (const std::int64_t m : {1, 7, 20}) {
        const GemmSizes sizes{m, 19, 3};
        const std::vector<float> a(static_cast<std::size_t>(m * 3), nan);
        const std::vector<float> b(19 * 3, 1.0F);
        std::vector<float> c(static_cast<std::size_t>(m * 19), 0.0F);
        Epilogue epilogue;
        epilogue.activation = activation;
        epilogue.low = -1;
        epilogue.high = 1;
        AlignedBuffer workspace = test::bytes(gemm_unpacked_workspace_bytes(sizes, isa));
        gemm_unpacked(sizes, {a.data(), 3}, {b.data(), 19}, c.data(), 19, epilogue, isa,
                      workspace.data(), workers);
        for (const float value : c) REQUIRE(std::isnan(value));
      }
    }
  }
}

TEST_CASE("Batched GEMM runs each product at its offsets", "[gemm]") {
  const std::uint32_t seed = 20264;
  CAPTURE(seed);
  RandomValues numbers(seed);
  const std::int64_t batch = 20;
  const GemmSizes sizes{9, 21, 15};
  const std::vector<float> a = numbers.floats(batch * 9 * 15);
  const std::vector<float> b = numbers.floats(15 * 21);
  std::vector<GemmOffsets> offsets;
  for (std::int64_t i = 0; i < batch; ++i) {
    offsets.push_back({.a = i * 9 * 15, .b = 0, .c = (batch - 1 - i) * 9 * 21});
  }
  for (const Isa isa : test::isas_here()) {
    for (const int threads : {1, 2, 4, 8}) {
      ThreadPool pool(threads);
      Workers workers(pool, threads);
      std::vector<float> c(static_cast<std::size_t>(batch * 9 * 21));
      AlignedBuffer workspace =
          test::bytes(gemm_batched_workspace_bytes(batch, sizes, isa, threads));
      gemm_batched(offsets, sizes, {a.data(), 15}, {b.data(), 21}, c.data(), 21, {}, isa,
                   workspace.data(), workers);
      for (const GemmOffsets& offset : offsets) {
        for (std::int64_t at = 0; at < 9 * 21; ++at) {
          double sum = 0;
          for (std::int64_t k = 0; k < 15; ++k) {
            sum += double{a[static_cast<std::size_t>(offset.a + at / 21 * 15 + k)]} *
                   b[static_cast<std::size_t>(k * 21 + at % 21)];
          }
          REQUIRE(c[static_cast<std::size_t>(offset.c + at)] == Approx(sum).margin(1e-5));
        }
      }
    }
  }
}

}  // namespace
}  // namespace ortool::cpu
