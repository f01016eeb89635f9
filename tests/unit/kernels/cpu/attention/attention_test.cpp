// Attention in float32 at every ISA level against reference loops in float64.
#include "kernels/cpu/attention/attention.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cpu/gemm/bf16/gemm.hpp"
#include "tests/unit/kernels/cpu/kernel_test_support.hpp"

namespace ortool::cpu {
namespace {

using test::RandomValues;

constexpr float infinity = std::numeric_limits<float>::infinity();

struct Case {
  AttentionSizes sizes;
  AttentionRules rules;
  std::vector<float> queries;
  std::vector<float> keys;
  std::vector<float> values;
  std::vector<float> mask;
  std::vector<std::int64_t> lengths;
};

struct Result {
  std::vector<double> out;
  std::vector<double> kept;
};

template <typename T, typename Pointer>
HeadRows<Pointer> rows_of(Pointer data, std::int64_t heads, std::int64_t length,
                          std::int64_t size) {
  return {data, heads * length * size, length * size, size};
}

/// Runs the case with operands of type T through `compute`.
template <typename T, typename Compute>
Result run(const Case& one, Compute compute) {
  const AttentionSizes& s = one.sizes;
  const auto as = [](const std::vector<float>& from) {
    return std::vector<T>(from.begin(), from.end());
  };
  const std::vector<T> q = as(one.queries);
  const std::vector<T> k = as(one.keys);
  const std::vector<T> v = as(one.values);
  const std::vector<T> mask = as(one.mask);
  const std::int64_t rows = s.batch * s.query_heads * s.queries;
  std::vector<T> out(static_cast<std::size_t>(rows * s.value_size + 1), T{7});
  std::vector<T> kept(static_cast<std::size_t>(rows * s.keys + 1), T{7});
  AttentionOperands<T> operands;
  operands.queries = rows_of<T>(q.data(), s.query_heads, s.queries, s.key_size);
  operands.keys = rows_of<T>(k.data(), s.shared_heads, s.keys, s.key_size);
  operands.values = rows_of<T>(v.data(), s.shared_heads, s.keys, s.value_size);
  if (!mask.empty()) operands.mask = {mask.data(), 0, 0, s.keys};
  operands.mask_keys = s.keys;
  operands.lengths = one.lengths.empty() ? nullptr : one.lengths.data();
  operands.out = rows_of<T>(out.data(), s.query_heads, s.queries, s.value_size);
  operands.kept = kept.data();
  compute(operands);
  REQUIRE(out.back() == T{7});
  REQUIRE(kept.back() == T{7});
  return {{out.begin(), out.end() - 1}, {kept.begin(), kept.end() - 1}};
}

Case draw(RandomValues& numbers) {
  Case one;
  AttentionSizes& s = one.sizes;
  s.batch = numbers.between(1, 2);
  s.shared_heads = numbers.between(1, 3);
  s.query_heads = s.shared_heads * numbers.between(1, 3);
  s.queries = numbers.flip() ? numbers.between(1, 4) : numbers.between(1, 150);
  s.keys = numbers.between(1, 170);
  s.key_size = numbers.between(1, 40);
  s.value_size = numbers.between(1, 70);
  one.rules.scale = 0.3F;
  one.rules.softcap = numbers.flip() ? 0.0F : 2.5F;
  one.rules.is_causal = numbers.flip();
  if (numbers.flip()) one.rules.left_window = numbers.between(0, 60);
  if (numbers.flip()) one.rules.right_window = numbers.between(0, 60);
  one.rules.past = numbers.flip() ? 0 : numbers.between(0, s.keys);
  one.rules.kept = static_cast<KeptScores>(numbers.flip() ? 0 : numbers.between(1, 4));
  one.queries = numbers.floats(s.batch * s.query_heads * s.queries * s.key_size);
  one.keys = numbers.floats(s.batch * s.shared_heads * s.keys * s.key_size);
  one.values = numbers.floats(s.batch * s.shared_heads * s.keys * s.value_size);
  if (numbers.flip()) {
    one.mask = numbers.floats(s.queries * s.keys);
    for (float& value : one.mask) value = numbers.between(0, 3) == 0 ? -infinity : value;
  }
  if (numbers.flip()) {
    for (std::int64_t i = 0; i < s.batch; ++i) one.lengths.push_back(numbers.between(0, s.keys));
  }
  return one;
}

void require_near(const std::vector<double>& found, const std::vector<double>& expected,
                  double tolerance = 2e-5) {
  REQUIRE(found.size() == expected.size());
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool is_same = found[i] == expected[i];
    if (!is_same) worst = std::max(worst, std::abs(found[i] - expected[i]));
  }
  REQUIRE(worst < tolerance);
}

/// Cuts floats to the bits of bfloat16.
void cut_to_bf16(std::vector<float>& values) {
  for (float& value : values) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    bits &= 0xFFFF0000U;
    std::memcpy(&value, &bits, sizeof bits);
  }
}

}  // namespace

TEST_CASE("Attention agrees with plain loops in double, with the same bits for any threads") {
  const std::uint32_t seed = 20269;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (int round = 0; round < 60; ++round) {
    const Case one = draw(numbers);
    const AttentionSizes& s = one.sizes;
    CAPTURE(round, s.batch, s.query_heads, s.shared_heads, s.queries, s.keys, s.key_size,
            s.value_size, static_cast<int>(one.rules.kept));
    Workers alone;
    const Result expected = run<double>(one, [&](const AttentionOperands<double>& operands) {
      attention_f64(s, one.rules, operands, alone);
    });
    for (const Isa isa : test::isas_here()) {
      Result first;
      for (const int threads : {1, 3}) {
        ThreadPool pool(threads);
        Workers workers(pool, threads);
        AlignedBuffer space = test::bytes(attention_workspace_bytes(s, one.rules, isa, threads));
        Result found = run<float>(one, [&](const AttentionOperands<float>& operands) {
          attention(s, one.rules, operands, isa, space.data(), workers);
        });
        require_near(found.out, expected.out);
        if (one.rules.kept != KeptScores::none) require_near(found.kept, expected.kept);
        if (threads == 1) first = found;
        REQUIRE(found.out == first.out);
      }
    }
  }
}

TEST_CASE("Attention in bfloat16 differs by the rounding of the weights", "[bf16]") {
  const std::uint32_t seed = 8021;
  CAPTURE(seed);
  RandomValues numbers(seed);
  for (int round = 0; round < 60; ++round) {
    Case one = draw(numbers);
    const AttentionSizes& s = one.sizes;
    // So that operands are exact but for the weights, whose error is 2^-9 of at most 1.
    one.rules.scale = 0.25F;
    for (std::vector<float>* operand : {&one.queries, &one.keys, &one.values})
      cut_to_bf16(*operand);
    CAPTURE(round, s.batch, s.query_heads, s.shared_heads, s.queries, s.keys, s.key_size,
            s.value_size, static_cast<int>(one.rules.kept));
    Workers alone;
    const Result expected = run<double>(one, [&](const AttentionOperands<double>& operands) {
      attention_f64(s, one.rules, operands, alone);
    });
    one.rules.has_bf16_products = true;
    for (const Isa isa : {Isa::avx512, Isa::amx}) {
      if (isa > best_isa() || !has_bf16_gemm(isa)) continue;
      CAPTURE(isa_name(isa));
      Result first;
      for (const int threads : {1, 3}) {
        ThreadPool pool(threads);
        Workers workers(pool, threads);
        AlignedBuffer space = test::bytes(attention_workspace_bytes(s, one.rules, isa, threads));
        Result found = run<float>(one, [&](const AttentionOperands<float>& operands) {
          attention(s, one.rules, operands, isa, space.data(), workers);
        });
        require_near(found.out, expected.out, 4e-3);
        if (one.rules.kept != KeptScores::none) require_near(found.kept, expected.kept);
        if (threads == 1) first = found;
        REQUIRE(found.out == first.out);
      }
    }
  }
}

}  // namespace ortool::cpu
