// Tests the bfloat16 matrix product against sums in double of operands rounded to bfloat16.
#include "kernels/cpu/gemm/bf16/gemm.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include <catch2/catch.hpp>

#include "kernels/cpu/types/fp16_bits.hpp"
#include "tests/unit/kernels/cpu/kernel_test_support.hpp"
#include "tests/unit/kernels/cpu/window_test_support.hpp"

namespace ortool::cpu {
namespace {

using test::activated;
using test::RandomValues;

std::vector<Isa> bf16_isas() {
  std::vector<Isa> isas;
  for (const Isa isa : test::isas_here()) {
    if (has_bf16_gemm(isa)) isas.push_back(isa);
  }
  return isas;
}

struct Bf16Case {
  GemmSizes sizes;
  std::vector<float> a;
  std::vector<float> b;
  std::vector<float> added;
  std::vector<float> residual;
  StridedMatrix a_in;
  StridedMatrix b_in;
  std::int64_t c_stride = 0;
  Epilogue epilogue;
};

Bf16Case make_bf16_case(RandomValues& numbers, const GemmSizes& sizes) {
  Bf16Case one;
  one.sizes = sizes;
  const auto [m, n, k] = sizes;
  one.b_in.transposed = numbers.flip();
  one.a_in.stride = k + numbers.between(0, 3);
  one.b_in.stride = (one.b_in.transposed ? k : n) + numbers.between(0, 3);
  // Exactly as large as the operands: reads past their end are found by the sanitizer.
  one.a = numbers.floats(m * one.a_in.stride);
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

double rounded(float value) {
  return double{to_float(to_bfloat16(value))};
}

double added_of(const Bf16Case& one, std::int64_t row, std::int64_t column) {
  const Epilogue& epilogue = one.epilogue;
  switch (epilogue.addend) {
    case Addend::scalar:
      return epilogue.added[0];
    case Addend::per_row:
      return epilogue.added[row];
    case Addend::per_column:
      return epilogue.added[column];
    case Addend::full:
      return epilogue.added[row * epilogue.added_stride + column];
    default:
      return 0;
  }
}

/// The largest excess of an element's error over the allowed one; at most 0 if all are within it.
double worst_bf16_excess(const Bf16Case& one, const std::vector<float>& c) {
  double worst = -1;
  const Epilogue& epilogue = one.epilogue;
  for (std::int64_t row = 0; row < one.sizes.m; ++row) {
    for (std::int64_t column = 0; column < one.sizes.n; ++column) {
      double sum = 0;
      double magnitude = 0;
      for (std::int64_t k = 0; k < one.sizes.k; ++k) {
        const std::int64_t at =
            one.b_in.transposed ? column * one.b_in.stride + k : k * one.b_in.stride + column;
        const double term =
            rounded(one.a_in.data[row * one.a_in.stride + k]) * rounded(one.b_in.data[at]);
        sum += term;
        magnitude += std::fabs(term);
      }
      const double added = added_of(one, row, column) * epilogue.beta;
      const double residual = epilogue.residual != nullptr
                                  ? epilogue.residual[row * epilogue.residual_stride + column]
                                  : 0.0F;
      sum = sum * epilogue.alpha + added + residual;
      magnitude += std::fabs(added) + std::fabs(residual);
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

/// Columns in pieces of `counts`, each with its own packed b, stored into one matrix.
std::vector<float> run_bf16(const Bf16Case& one, const std::vector<std::int64_t>& counts, Isa isa,
                            int threads) {
  ThreadPool pool(threads);
  Workers workers(pool, threads);
  const auto [m, n, k] = one.sizes;
  constexpr float untouched = 12345.0F;
  std::vector<float> c(static_cast<std::size_t>(m * one.c_stride), untouched);
  std::vector<AlignedBuffer> packed;
  std::vector<Bf16Columns> pieces;
  std::int64_t first = 0;
  for (const std::int64_t count : counts) {
    StridedMatrix b = one.b_in;
    b.data += b.transposed ? first * b.stride : first;
    packed.push_back(test::bytes(packed_bf16_b_bytes(k, count)));
    pack_bf16_b(k, count, b, isa, packed.back().as<std::uint16_t>(), workers);
    pieces.push_back({count, packed.back().as<std::uint16_t>(), c.data() + first, one.c_stride});
    first += count;
  }
  AlignedBuffer workspace = test::bytes(bf16_gemm_workspace_bytes(one.sizes));
  bf16_gemm(one.sizes, one.a_in, pieces, one.epilogue, isa, workspace.data(), workers);
  for (std::int64_t row = 0; row < m; ++row) {
    for (std::int64_t column = n; column < one.c_stride; ++column)
      REQUIRE(c[static_cast<std::size_t>(row * one.c_stride + column)] == untouched);
  }
  return c;
}

void check_bf16(RandomValues& numbers, const GemmSizes& sizes) {
  const Bf16Case one = make_bf16_case(numbers, sizes);
  CAPTURE(sizes.m, sizes.n, sizes.k, one.b_in.transposed, static_cast<int>(one.epilogue.addend),
          static_cast<int>(one.epilogue.activation));
  for (const Isa isa : bf16_isas()) {
    CAPTURE(isa_name(isa));
    const std::vector<float> c = run_bf16(one, {sizes.n}, isa, 1);
    REQUIRE(worst_bf16_excess(one, c) <= 0);
    for (const int threads : {2, 4, 8}) {
      const std::vector<float> again = run_bf16(one, {sizes.n}, isa, threads);
      REQUIRE(std::memcmp(c.data(), again.data(), c.size() * sizeof(float)) == 0);
    }
    if (sizes.n < 3) continue;
    const std::int64_t cut = numbers.between(1, sizes.n - 2);
    const std::vector<float> in_pieces = run_bf16(one, {cut, 1, sizes.n - cut - 1}, isa, 2);
    REQUIRE(std::memcmp(c.data(), in_pieces.data(), c.size() * sizeof(float)) == 0);
  }
}

TEST_CASE("bfloat16 GEMM agrees with sums in double for random sizes", "[gemm]") {
  const std::uint32_t seed = 20265;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (int round = 0; round < 60; ++round)
    check_bf16(numbers, {numbers.between(1, 90), numbers.between(1, 90), numbers.between(1, 150)});
}

TEST_CASE("bfloat16 GEMM agrees with sums in double at the sizes of tiles", "[gemm]") {
  const std::uint32_t seed = 20266;
  CAPTURE(seed);
  RandomValues numbers(seed);
  const GemmSizes cases[] = {{1, 1, 1},    {1, 65, 513},   {16, 16, 32},  {17, 17, 33},
                             {32, 32, 64}, {33, 48, 31},   {8, 96, 65},   {29, 17, 0},
                             {5, 500, 64}, {64, 200, 768}, {300, 40, 520}};
  for (const GemmSizes& sizes : cases) {
    for (int round = 0; round < 3; ++round) check_bf16(numbers, sizes);
  }
}

TEST_CASE("bfloat16 GEMM with rows for several chunks agrees with sums in double", "[gemm]") {
  const std::uint32_t seed = 20267;
  CAPTURE(seed);
  RandomValues numbers(seed);
  check_bf16(numbers, {600, 70, 2500});
}

TEST_CASE("bfloat16 GEMM applies transcendental activations", "[gemm]") {
  RandomValues numbers(20268);
  for (const Activation activation : {Activation::gelu, Activation::gelu_tanh, Activation::swish}) {
    Bf16Case one = make_bf16_case(numbers, {37, 41, 70});
    one.epilogue.activation = Activation::none;
    for (const Isa isa : bf16_isas()) {
      CAPTURE(isa_name(isa), static_cast<int>(activation));
      const std::vector<float> plain = run_bf16(one, {41}, isa, 1);
      Bf16Case active = one;
      active.epilogue.activation = activation;
      active.epilogue.low = 1.0F;
      const std::vector<float> c = run_bf16(active, {41}, isa, 1);
      for (std::int64_t row = 0; row < 37; ++row) {
        for (std::int64_t column = 0; column < 41; ++column) {
          const auto at = static_cast<std::size_t>(row * one.c_stride + column);
          const double x = plain[at];
          const double gate =
              activation == Activation::gelu ? (1 + std::erf(x / std::sqrt(2.0))) / 2
              : activation == Activation::swish
                  ? 1 / (1 + std::exp(-x))
                  : (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))) / 2;
          REQUIRE(c[at] == Approx(x * gate).margin(1e-5));
        }
      }
    }
  }
}

TEST_CASE("bfloat16 GEMM propagates NaN and infinity", "[gemm]") {
  RandomValues numbers(20269);
  Bf16Case one = make_bf16_case(numbers, {20, 20, 40});
  one.epilogue = {};
  one.a[static_cast<std::size_t>(one.a_in.stride * 3 + 5)] =
      std::numeric_limits<float>::quiet_NaN();
  one.a[static_cast<std::size_t>(one.a_in.stride * 7 + 1)] = std::numeric_limits<float>::infinity();
  for (const Isa isa : bf16_isas()) {
    const std::vector<float> c = run_bf16(one, {20}, isa, 1);
    for (std::int64_t column = 0; column < 20; ++column) {
      REQUIRE(std::isnan(c[static_cast<std::size_t>(3 * one.c_stride + column)]));
      REQUIRE(std::isinf(c[static_cast<std::size_t>(7 * one.c_stride + column)]));
      REQUIRE(std::isfinite(c[static_cast<std::size_t>(8 * one.c_stride + column)]));
    }
  }
}

TEST_CASE("bfloat16 GEMM of nothing touches nothing", "[gemm]") {
  Workers workers;
  for (const Isa isa : bf16_isas()) {
    for (const GemmSizes& sizes : {GemmSizes{0, 5, 5}, GemmSizes{5, 0, 5}})
      bf16_gemm(sizes, {}, {}, {}, isa, nullptr, workers);
  }
}

}  // namespace
}  // namespace ortool::cpu
