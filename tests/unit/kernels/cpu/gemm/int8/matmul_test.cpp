// Int8 matrix products at every ISA level against reference sums and a reference epilogue.
#include "kernels/cpu/gemm/int8/matmul.hpp"

#include <cmath>
#include <cstring>

#include <catch2/catch.hpp>

#include "tests/unit/kernels/cpu/kernel_test_support.hpp"

namespace ortool::cpu {
namespace {

struct Problem {
  Int8MatMulSizes sizes;
  bool is_a_signed = false;
  bool is_b_signed = false;
  bool is_b_transposed = false;
  bool has_row_zeros = false;
  bool has_column_zeros = false;
};

std::int32_t number(std::uint8_t byte, bool is_signed) {
  return is_signed ? std::int32_t{static_cast<std::int8_t>(byte)} : std::int32_t{byte};
}

/// Operands and the expected sums.
struct Example {
  Problem problem;
  std::vector<std::uint8_t> a;
  std::vector<std::uint8_t> b;
  std::vector<std::int32_t> a_zeros;  ///< one per row, or one for all
  std::vector<std::int32_t> b_zeros;
  std::vector<std::int32_t> sums;

  Example(const Problem& given, test::RandomValues& numbers) : problem(given) {
    const auto fill = [&](std::vector<std::uint8_t>& bytes, std::int64_t count) {
      bytes.resize(static_cast<std::size_t>(count));
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(numbers.between(0, 255));
    };
    const Int8MatMulSizes& sizes = problem.sizes;
    fill(a, sizes.m * sizes.k);
    fill(b, sizes.k * sizes.n);
    const auto zeros = [&](std::vector<std::int32_t>& list, std::int64_t count, bool is_signed) {
      for (std::int64_t i = 0; i < count; ++i)
        list.push_back(number(static_cast<std::uint8_t>(numbers.between(0, 255)), is_signed));
    };
    zeros(a_zeros, problem.has_row_zeros ? sizes.m : 1, problem.is_a_signed);
    if (problem.has_column_zeros) {
      zeros(b_zeros, sizes.n, problem.is_b_signed);
    } else {
      b_zeros.assign(static_cast<std::size_t>(sizes.n), 0);
    }
    for (std::int64_t row = 0; row < sizes.m; ++row) {
      for (std::int64_t column = 0; column < sizes.n; ++column) sums.push_back(sum(row, column));
    }
  }

  std::int32_t sum(std::int64_t row, std::int64_t column) const {
    const Int8MatMulSizes& sizes = problem.sizes;
    const std::int32_t a_zero = a_zeros[static_cast<std::size_t>(problem.has_row_zeros ? row : 0)];
    std::int32_t total = 0;
    for (std::int64_t i = 0; i < sizes.k; ++i) {
      const std::int64_t at = problem.is_b_transposed ? column * sizes.k + i : i * sizes.n + column;
      total +=
          (number(a[static_cast<std::size_t>(row * sizes.k + i)], problem.is_a_signed) - a_zero) *
          (number(b[static_cast<std::size_t>(at)], problem.is_b_signed) -
           b_zeros[static_cast<std::size_t>(column)]);
    }
    return total;
  }

  /// Runs the product at an ISA level; adds the offsets from zero points to `epilogue`.
  void run(Isa isa, Epilogue epilogue, void* out, int threads) const {
    const Int8MatMulSizes& sizes = problem.sizes;
    const std::uint8_t b_flip = problem.is_b_signed ? 0 : 128;
    const std::int32_t b_shift = problem.is_b_signed ? 0 : 128;
    const std::int32_t a_shift = row_flip(problem.is_a_signed, isa);
    AlignedBuffer packed = test::bytes(packed_int8_matrix_bytes(sizes.k, sizes.n, isa));
    std::vector<std::int32_t> terms(static_cast<std::size_t>(sizes.n));
    pack_int8_matrix(sizes.k, sizes.n,
                     {.data = b.data(), .is_transposed = problem.is_b_transposed, .flip = b_flip},
                     isa, packed.data(), terms.data());
    std::vector<std::int32_t> columns;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      columns.push_back(b_zeros[i] - b_shift);
      terms[i] -= static_cast<std::int32_t>(sizes.k) * columns[i];
    }
    std::vector<std::int32_t> rows;
    for (const std::int32_t zero : a_zeros) rows.push_back(-(zero + a_shift));
    Int8MatMulZeros zeros;
    zeros.columns = columns.data();
    std::vector<std::int32_t> offsets(terms.size(), 0);
    if (problem.has_row_zeros) {
      zeros.rows_negated = rows.data();
      zeros.column_terms = terms.data();
    } else {
      for (std::size_t i = 0; i < terms.size(); ++i) offsets[i] = rows[0] * terms[i];
    }
    epilogue.offsets = offsets.data();
    AlignedBuffer space = test::bytes(int8_matmul_workspace_bytes(sizes, isa));
    ThreadPool pool(threads);
    Workers workers(pool, threads);
    int8_matmul(sizes, {a.data(), problem.is_a_signed}, packed.data(), zeros, out, epilogue, isa,
                space.data(), workers);
  }
};

std::vector<Problem> problems(test::RandomValues& numbers) {
  std::vector<Problem> result;
  const Int8MatMulSizes all[] = {{1, 1, 1},     {1, 70, 64},   {5, 16, 63},    {16, 33, 65},
                                 {17, 32, 64},  {31, 48, 130}, {33, 31, 4},    {64, 64, 128},
                                 {65, 96, 3},   {2, 5, 0},     {100, 513, 70}, {40, 1100, 192},
                                 {1, 700, 131}, {2, 300, 70},  {3, 270, 50},   {4, 260, 9}};
  for (const Int8MatMulSizes& sizes : all) {
    for (int variant = 0; variant < 4; ++variant) {
      result.push_back({sizes, (variant & 1) != 0, (variant & 2) != 0, numbers.flip(),
                        numbers.flip(), numbers.flip()});
    }
  }
  return result;
}

TEST_CASE("byte products give the exact sums on every level") {
  test::RandomValues numbers(5);
  for (const Problem& problem : problems(numbers)) {
    const Example example(problem, numbers);
    for (const Isa isa : test::isas_here()) {
      for (const int threads : {1, 2}) {
        std::vector<std::int32_t> sums(example.sums.size(), -1);
        Epilogue epilogue;
        epilogue.output = EpilogueOutput::int32;
        example.run(isa, epilogue, sums.data(), threads);
        INFO(isa_name(isa) << " " << problem.sizes.m << "x" << problem.sizes.n << "x"
                           << problem.sizes.k);
        REQUIRE(sums == example.sums);
      }
    }
  }
}

/// Reference epilogue, one element at a time.
struct PlainEpilogue {
  const Epilogue& epilogue;

  float clamped(float value, float low, float high) const {
    const float raised = value > low ? value : low;
    return std::nearbyint(raised < high ? raised : high);
  }

  float value(std::int32_t sum, std::int64_t row, std::int64_t column) const {
    float x = static_cast<float>(sum) * epilogue.scales[column];
    if (epilogue.has_steps != 0)
      x = clamped(x, epilogue.steps_low, epilogue.steps_high) * epilogue.step;
    if (epilogue.addend != Addend::none) x += epilogue.added[column];
    if (epilogue.residual != nullptr)
      x += epilogue.residual[row * epilogue.residual_stride + column];
    switch (epilogue.activation) {
      case Activation::relu:
        return x < 0 ? 0.0F : x;
      case Activation::clip:
        return std::min(std::max(x, epilogue.low), epilogue.high);
      case Activation::leaky_relu:
        return x < 0 ? x * epilogue.low : x;
      case Activation::hard_swish:
        return x * std::min(std::max(x * epilogue.low + epilogue.high, 0.0F), 1.0F);
      default:
        return x;
    }
  }

  std::uint8_t byte(float x) const {
    const float whole = clamped(epilogue.divisor != 0 ? x / epilogue.divisor : x,
                                epilogue.range.low, epilogue.range.high);
    return static_cast<std::uint8_t>(static_cast<std::int32_t>(whole) + epilogue.range.zero_point);
  }
};

TEST_CASE("sums become floats and bytes in the same way on every level") {
  test::RandomValues numbers(6);
  const Activation activations[] = {Activation::none, Activation::relu, Activation::clip,
                                    Activation::leaky_relu, Activation::hard_swish};
  for (const Problem& problem : problems(numbers)) {
    const Example example(problem, numbers);
    const Int8MatMulSizes& sizes = problem.sizes;
    const std::vector<float> scales = numbers.floats(sizes.n, 1e-4F, 1e-3F);
    const std::vector<float> bias = numbers.floats(sizes.n, -20.0F, 20.0F);
    const std::vector<float> residual = numbers.floats(sizes.n * sizes.m, -20.0F, 20.0F);
    Epilogue epilogue;
    epilogue.scales = scales.data();
    epilogue.has_steps = numbers.flip() ? 1 : 0;
    epilogue.steps_low = -100.0F;
    epilogue.steps_high = 155.0F;
    epilogue.step = 0.37F;
    if (numbers.flip()) epilogue.addend = Addend::per_column;
    epilogue.added = bias.data();
    if (numbers.flip()) epilogue.residual = residual.data();
    epilogue.residual_stride = sizes.n;
    epilogue.activation = activations[numbers.between(0, 4)];
    epilogue.low = epilogue.activation == Activation::hard_swish ? 1.0F / 6.0F : -1.5F;
    epilogue.high = epilogue.activation == Activation::hard_swish ? 0.5F : 9.0F;
    if (numbers.flip()) epilogue.output = EpilogueOutput::int8;
    const bool makes_int8 = epilogue.output == EpilogueOutput::int8;
    epilogue.divisor = numbers.flip() ? 0.21F : 0.0F;
    epilogue.range = {-3.0F, 252.0F, 3};
    const PlainEpilogue plain{epilogue};
    for (const Isa isa : test::isas_here()) {
      std::vector<std::uint8_t> bytes(example.sums.size());
      std::vector<float> floats(example.sums.size());
      void* out = makes_int8 ? static_cast<void*>(bytes.data()) : floats.data();
      example.run(isa, epilogue, out, 2);
      std::vector<std::uint8_t> expected_bytes(bytes.size());
      std::vector<float> expected(floats.size());
      for (std::int64_t i = 0; i < sizes.m * sizes.n; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const float x = plain.value(example.sums[at], i / sizes.n, i % sizes.n);
        (makes_int8 ? void(expected_bytes[at] = plain.byte(x)) : void(expected[at] = x));
      }
      INFO(isa_name(isa) << " " << sizes.m << "x" << sizes.n << "x" << sizes.k);
      REQUIRE(bytes == expected_bytes);
      REQUIRE(floats == expected);
    }
  }
}

}  // namespace
}  // namespace ortool::cpu
