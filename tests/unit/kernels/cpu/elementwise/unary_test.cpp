// Unary operators against double precision, for every instruction set.
#include "kernels/cpu/elementwise/unary.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/kernel_test.hpp"

namespace ortool::cpu {
namespace {

using test::available_isas;

struct Case {
  UnaryOp op;
  const char* name;
  double (*exact)(double);
  double max_ulp;
  UnaryParameters parameters = {};
  /// The result is x times a factor of about 0 to 1: errors count in ulps of x, not of a tiny tail.
  bool is_share_of_x = false;
};

double sigmoid(double x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}
double sign(double x) {
  return x > 0 ? 1.0 : x < 0 ? -1.0 : x;
}
double softplus(double x) {
  return (x > 0 ? x : 0.0 * x) + std::log1p(std::exp(-std::abs(x)));
}

double gelu(double x) {
  return x / 2 * std::erfc(-x / std::sqrt(2.0));
}
double gelu_tanh(double x) {
  const double y = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
  // 1 + tanh(y) = 2 sigmoid(2y), without cancellation.
  return x * sigmoid(2 * y);
}

const std::vector<Case>& cases() {
  static const std::vector<Case> list = {
      {UnaryOp::exp, "exp", [](double x) { return std::exp(x); }, 4},
      {UnaryOp::log, "log", [](double x) { return std::log(x); }, 4},
      {UnaryOp::tanh, "tanh", [](double x) { return std::tanh(x); }, 4},
      {UnaryOp::erf, "erf", [](double x) { return std::erf(x); }, 4},
      {UnaryOp::sigmoid, "sigmoid", sigmoid, 4},
      {UnaryOp::sqrt, "sqrt", [](double x) { return std::sqrt(x); }, 0.5},
      {UnaryOp::reciprocal, "reciprocal", [](double x) { return 1 / x; }, 0.5},
      {UnaryOp::negate, "negate", [](double x) { return -x; }, 0},
      {UnaryOp::absolute, "absolute", [](double x) { return std::abs(x); }, 0},
      {UnaryOp::floor, "floor", [](double x) { return std::floor(x); }, 0},
      {UnaryOp::ceil, "ceil", [](double x) { return std::ceil(x); }, 0},
      {UnaryOp::round, "round", [](double x) { return std::nearbyint(x); }, 0},
      {UnaryOp::relu, "relu", [](double x) { return x < 0 ? 0 : x; }, 0},
      {UnaryOp::sign, "sign", sign, 0},
      {UnaryOp::softsign, "softsign", [](double x) { return x / (1 + std::abs(x)); }, 2},
      {UnaryOp::elu, "elu", [](double x) { return x < 0 ? 1.5 * std::expm1(x) : x; }, 4, {1.5, 0}},
      {UnaryOp::softplus, "softplus", softplus, 6},
      {UnaryOp::leaky_relu,
       "leaky_relu",
       [](double x) { return x < 0 ? 0.25 * x : x; },
       0.5,
       {0.25, 0}},
      {UnaryOp::clip, "clip", [](double x) { return x < -1  ? -1
                                                    : x > 2 ? 2
                                                            : x; }, 0, {-1, 2}},
      {UnaryOp::sin, "sin", [](double x) { return std::sin(x); }, 1},
      {UnaryOp::cos, "cos", [](double x) { return std::cos(x); }, 1},
      {UnaryOp::atan, "atan", [](double x) { return std::atan(x); }, 1},
      {UnaryOp::tan, "tan", [](double x) { return std::tan(x); }, 1},
      {UnaryOp::asin, "asin", [](double x) { return std::asin(x); }, 1},
      {UnaryOp::acos, "acos", [](double x) { return std::acos(x); }, 1},
      {UnaryOp::sinh, "sinh", [](double x) { return std::sinh(x); }, 2},
      {UnaryOp::cosh, "cosh", [](double x) { return std::cosh(x); }, 2},
      {UnaryOp::asinh, "asinh", [](double x) { return std::asinh(x); }, 2},
      {UnaryOp::acosh, "acosh", [](double x) { return std::acosh(x); }, 2},
      {UnaryOp::atanh, "atanh", [](double x) { return std::atanh(x); }, 2},
      {UnaryOp::gelu, "gelu", gelu, 2, {}, true},
      {UnaryOp::gelu_tanh, "gelu_tanh", gelu_tanh, 2, {}, true},
      {UnaryOp::swish, "swish", [](double x) { return x * sigmoid(1.5 * x); }, 2, {1.5, 0}, true},
      {UnaryOp::mish, "mish", [](double x) { return x * std::tanh(softplus(x)); }, 2, {}, true},
      {UnaryOp::hard_swish,
       "hard_swish",
       [](double x) { return x * std::min(std::max(x / 6 + 0.5, 0.0), 1.0); },
       2,
       {},
       true},
      {UnaryOp::selu,
       "selu",
       [](double x) { return 1.25 * (x <= 0 ? 1.5 * std::expm1(x) : x); },
       4,
       {1.5, 1.25}},
      {UnaryOp::celu,
       "celu",
       [](double x) { return x < 0 ? 1.5 * std::expm1(x / 1.5) : x; },
       4,
       {1.5, 0}},
  };
  return list;
}

struct Worst {
  double ulp = 0;
  float at = 0;
};

double error_in_units_of(float x, float found, double exact) {
  const bool is_finite = std::isfinite(x) && std::isfinite(found) && std::isfinite(exact);
  if (!is_finite || std::abs(exact) > std::abs(static_cast<double>(x)))
    return test::ulp_error(found, exact);
  return std::abs(static_cast<double>(found) - exact) /
         static_cast<double>(std::nextafter(std::abs(x), INFINITY) - std::abs(x));
}

/// The largest error of each instruction set over every `step`-th bit pattern from `first` on.
std::vector<Worst> sweep(const Case& test_case, std::uint32_t first, std::uint64_t step) {
  constexpr std::int64_t size = 4096;
  const std::vector<Isa> isas = available_isas();
  Workers workers;
  std::vector<float> in(size);
  std::vector<float> out(size);
  std::vector<double> exact(size);
  std::vector<Worst> worst(isas.size());
  for (std::uint64_t bits = first; bits < (std::uint64_t{1} << 32);) {
    std::int64_t count = 0;
    for (; count < size && bits < (std::uint64_t{1} << 32); bits += step, ++count) {
      const auto i = static_cast<std::size_t>(count);
      in[i] = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      exact[i] = test_case.exact(static_cast<double>(in[i]));
    }
    for (std::size_t isa_index = 0; isa_index < isas.size(); ++isa_index) {
      unary(test_case.op, test_case.parameters, in.data(), out.data(), count, workers,
            isas[isa_index]);
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        // Correctly rounded, as most results are; saves the slow computation of ulps.
        if (out[i] == static_cast<float>(exact[i])) continue;
        const double error = test_case.is_share_of_x ? error_in_units_of(in[i], out[i], exact[i])
                                                     : test::ulp_error(out[i], exact[i]);
        if (error > worst[isa_index].ulp) worst[isa_index] = {error, in[i]};
      }
    }
  }
  return worst;
}

void check_sweep(const Case& test_case, std::uint32_t first, std::uint64_t step, bool is_told) {
  const std::vector<Worst> worst = sweep(test_case, first, step);
  for (std::size_t isa_index = 0; isa_index < worst.size(); ++isa_index) {
    INFO(test_case.name << " " << isa_name(available_isas()[isa_index]) << ": "
                        << worst[isa_index].ulp << " ulp at " << worst[isa_index].at);
    if (is_told) {
      WARN(test_case.name << " " << isa_name(available_isas()[isa_index]) << ": "
                          << worst[isa_index].ulp << " ulp at " << worst[isa_index].at);
    }
    CHECK(worst[isa_index].ulp <= test_case.max_ulp);
  }
}

TEST_CASE("every function of one float stays within its ulp bound on a sweep of bit patterns") {
  for (const Case& test_case : cases()) check_sweep(test_case, 7, 9973, false);
}

TEST_CASE("every function of one float stays within its ulp bound on all bit patterns",
          "[.sweep]") {
  for (const Case& test_case : cases()) {
    SECTION(test_case.name) {
      check_sweep(test_case, 0, 1, true);
    }
  }
}

TEST_CASE("special values come out as the standard says") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  Workers workers;
  for (const Isa isa : available_isas()) {
    const auto apply = [&](UnaryOp op, float x, UnaryParameters parameters = {}) {
      float out = 42;
      unary(op, parameters, &x, &out, 1, workers, isa);
      return out;
    };
    INFO(isa_name(isa));
    for (int op = 0; op <= static_cast<int>(UnaryOp::atanh); ++op) {
      INFO(op);
      const auto each = static_cast<UnaryOp>(op);
      const bool is_bounded = each == UnaryOp::thresholded_relu || each == UnaryOp::shrink;
      const float found = apply(each, nan, {1, 2});
      CHECK((is_bounded ? found == 0.0F : std::isnan(found)));
    }
    CHECK(apply(UnaryOp::exp, -infinity) == 0.0F);
    CHECK(apply(UnaryOp::exp, infinity) == infinity);
    CHECK(apply(UnaryOp::exp, 0.0F) == 1.0F);
    CHECK(apply(UnaryOp::exp, -0.0F) == 1.0F);
    CHECK(apply(UnaryOp::exp, -103.0F) == 0x1p-149F);
    CHECK(apply(UnaryOp::log, 0.0F) == -infinity);
    CHECK(apply(UnaryOp::log, -0.0F) == -infinity);
    CHECK(std::isnan(apply(UnaryOp::log, -1.0F)));
    CHECK(apply(UnaryOp::log, infinity) == infinity);
    CHECK(apply(UnaryOp::log, 1.0F) == 0.0F);
    for (const UnaryOp odd : {UnaryOp::tanh, UnaryOp::erf, UnaryOp::round, UnaryOp::floor,
                              UnaryOp::ceil, UnaryOp::leaky_relu, UnaryOp::elu}) {
      CHECK(std::signbit(apply(odd, -0.0F)));
      CHECK_FALSE(std::signbit(apply(odd, 0.0F)));
    }
    for (const UnaryOp whole : {UnaryOp::floor, UnaryOp::ceil, UnaryOp::round}) {
      CHECK(apply(whole, infinity) == infinity);
      CHECK(apply(whole, -infinity) == -infinity);
      CHECK(apply(whole, -8388609.0F) == -8388609.0F);
    }
    CHECK(std::signbit(apply(UnaryOp::ceil, -0.5F)));
    CHECK(std::signbit(apply(UnaryOp::round, -0.5F)));
    CHECK(apply(UnaryOp::round, 2.5F) == 2.0F);
    CHECK(apply(UnaryOp::tanh, infinity) == 1.0F);
    CHECK(apply(UnaryOp::tanh, -infinity) == -1.0F);
    CHECK(apply(UnaryOp::erf, -infinity) == -1.0F);
    CHECK(apply(UnaryOp::sigmoid, -infinity) == 0.0F);
    CHECK(apply(UnaryOp::sigmoid, infinity) == 1.0F);
    CHECK(apply(UnaryOp::tanh, 0x1p-149F) == 0x1p-149F);
  }
}

TEST_CASE("the activations agree with their formulas") {
  const auto in = test::random_floats(1001, 5, -9.0F, 9.0F);
  std::vector<float> out(in.size());
  Workers workers;
  struct Activation {
    UnaryOp op;
    UnaryParameters parameters;
    double (*exact)(double);
  };
  const Activation activations[] = {
      {UnaryOp::hard_sigmoid,
       {0.2, 0.5},
       [](double x) { return std::clamp(0.2 * x + 0.5, 0.0, 1.0); }},
      {UnaryOp::hard_swish, {}, [](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); }},
      {UnaryOp::selu,
       {1.67326319, 1.05070102},
       [](double x) { return 1.05070102 * (x > 0 ? x : 1.67326319 * std::expm1(x)); }},
      {UnaryOp::celu, {2, 0}, [](double x) { return x > 0 ? x : 2 * std::expm1(x / 2); }},
      {UnaryOp::thresholded_relu, {1.5, 0}, [](double x) { return x > 1.5 ? x : 0; }},
      {UnaryOp::shrink,
       {1.5, 0.5},
       [](double x) { return x < -1.5  ? x + 0.5
                             : x > 1.5 ? x - 0.5
                                       : 0; }},
      {UnaryOp::gelu,
       {},
       [](double x) { return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2)); }},
      {UnaryOp::gelu_tanh,
       {},
       [](double x) {
         return 0.5 * x *
                (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
       }},
      {UnaryOp::mish, {}, [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }},
      {UnaryOp::swish, {1.5, 0}, [](double x) { return x * sigmoid(1.5 * x); }},
  };
  for (const Isa isa : available_isas()) {
    for (const Activation& activation : activations) {
      unary(activation.op, activation.parameters, in.data(), out.data(),
            static_cast<std::int64_t>(in.size()), workers, isa);
      for (std::size_t i = 0; i < in.size(); ++i) {
        const double exact = activation.exact(static_cast<double>(in[i]));
        INFO(static_cast<int>(activation.op) << " " << isa_name(isa) << " at " << in[i]);
        REQUIRE(std::abs(static_cast<double>(out[i]) - exact) <= 1e-6 * std::abs(exact) + 6e-7);
      }
      const std::vector<double> in_double(in.begin(), in.end());
      std::vector<double> out_double(in.size());
      unary(activation.op, activation.parameters, in_double.data(), out_double.data(),
            static_cast<std::int64_t>(in.size()), workers, isa);
      for (std::size_t i = 0; i < in.size(); ++i) {
        const double exact = activation.exact(in_double[i]);
        REQUIRE(std::abs(out_double[i] - exact) <= 1e-13 * std::abs(exact) + 1e-14);
      }
    }
  }
}

TEST_CASE("the bits of an element depend neither on its position nor on the number of threads") {
  const auto in = test::random_floats(100003, 11, -20.0F, 20.0F);
  const std::int64_t count = static_cast<std::int64_t>(in.size());
  for (const Isa isa : available_isas()) {
    for (const UnaryOp op : {UnaryOp::exp, UnaryOp::log, UnaryOp::erf, UnaryOp::mish}) {
      std::vector<float> whole(in.size());
      Workers alone;
      unary(op, {}, in.data(), whole.data(), count, alone, isa);
      for (const int threads : {2, 8}) {
        ThreadPool pool(threads);
        Workers workers(pool, threads);
        std::vector<float> cut(in.size());
        unary(op, {}, in.data(), cut.data(), count, workers, isa);
        CHECK(test::same_bits(whole, cut));
      }
      for (std::int64_t size = 0; size <= 40; ++size) {
        std::vector<float> part(static_cast<std::size_t>(size) + 1, 42.0F);
        unary(op, {}, in.data() + 3, part.data(), size, alone, isa);
        CHECK(part[static_cast<std::size_t>(size)] == 42.0F);
        CHECK(std::memcmp(part.data(), whole.data() + 3, static_cast<std::size_t>(size) * 4) == 0);
      }
    }
  }
}

TEST_CASE("half precision is computed in float32 and rounded once") {
  std::vector<Float16Bits> in(65536);
  std::vector<BFloat16Bits> in_bfloat(65536);
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i].bits = static_cast<std::uint16_t>(i);
    in_bfloat[i].bits = static_cast<std::uint16_t>(i);
  }
  std::vector<Float16Bits> out(in.size());
  std::vector<BFloat16Bits> out_bfloat(in.size());
  Workers workers;
  unary(UnaryOp::negate, {}, in.data(), out.data(), 65536, workers, best_isa());
  unary(UnaryOp::negate, {}, in_bfloat.data(), out_bfloat.data(), 65536, workers, best_isa());
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (std::isnan(to_float(in[i]))) {
      CHECK(std::isnan(to_float(out[i])));
    } else {
      REQUIRE(out[i].bits == (in[i].bits ^ 0x8000U));
    }
    if (std::isnan(to_float(in_bfloat[i]))) {
      CHECK(std::isnan(to_float(out_bfloat[i])));
    } else {
      REQUIRE(out_bfloat[i].bits == (in_bfloat[i].bits ^ 0x8000U));
    }
  }
  CHECK(to_float16(65519.0F).bits == 0x7bff);
  CHECK(to_float16(65520.0F).bits == 0x7c00);
  CHECK(to_float16(0x1p-25F).bits == 0);
  CHECK(to_float16(0x1.8p-25F).bits == 1);
  CHECK(to_float16(1.0F + 0x1p-11F).bits == 0x3c00);
  CHECK(to_float16(1.0F + 0x3p-11F).bits == 0x3c02);
  CHECK(to_bfloat16(1.0F + 0x1p-8F).bits == 0x3f80);
}

TEST_CASE("integers wrap, and predicates see what they should") {
  Workers workers;
  const std::int8_t in[] = {-128, -1, 0, 5};
  std::int8_t out[4];
  unary_integer(UnaryOp::absolute, in, out, 4, workers);
  CHECK(std::vector<int>(out, out + 4) == std::vector<int>{-128, 1, 0, 5});
  unary_integer(UnaryOp::negate, in, out, 4, workers);
  CHECK(std::vector<int>(out, out + 4) == std::vector<int>{-128, 1, 0, -5});
  unary_integer(UnaryOp::sign, in, out, 4, workers);
  CHECK(std::vector<int>(out, out + 4) == std::vector<int>{-1, -1, 0, 1});
  bitwise_not(in, out, 4, workers);
  CHECK(std::vector<int>(out, out + 4) == std::vector<int>{127, 0, -1, -6});
  clip<std::int8_t>(in, out, 4, -2, 3, workers);
  CHECK(std::vector<int>(out, out + 4) == std::vector<int>{-2, -1, 0, 3});
  const float values[] = {1.0F, std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity(),
                          std::numeric_limits<float>::quiet_NaN()};
  bool found[4];
  is_nan(values, found, 4, workers);
  CHECK(std::vector<bool>(found, found + 4) == std::vector<bool>{false, false, false, true});
  is_infinite(values, found, 4, true, false, workers);
  CHECK(std::vector<bool>(found, found + 4) == std::vector<bool>{false, true, false, false});
  logical_not(found, found, 4, workers);
  CHECK(std::vector<bool>(found, found + 4) == std::vector<bool>{true, false, true, true});
}

}  // namespace
}  // namespace ortool::cpu
