// Tests float16 and bfloat16 conversions at every ISA level, exhaustively where patterns are few.
#include "kernels/cpu/types/fp16_convert.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/unit/kernels/cpu/kernel_test_support.hpp"

namespace ortool::cpu {
namespace {

/// The value of a pattern by the definition of the format.
double value_of(std::uint32_t bits, int exponent_bits, int mantissa_bits) {
  const std::uint32_t mantissa = bits & ((1U << mantissa_bits) - 1U);
  const std::uint32_t all = (1U << exponent_bits) - 1U;
  const std::uint32_t exponent = bits >> mantissa_bits & all;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double sign = (bits >> (exponent_bits + mantissa_bits) & 1U) != 0 ? -1.0 : 1.0;
  if (exponent == all) {
    return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  const double fraction = std::ldexp(mantissa, -mantissa_bits);
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias);
  return sign * std::ldexp(1.0 + fraction, static_cast<int>(exponent) - bias);
}

/// Critical floats: all values of the narrow format, the midpoints between them and those
/// midpoints' neighbors.
std::vector<float> hard_floats(int exponent_bits, int mantissa_bits) {
  std::vector<float> values;
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
    const double here = value_of(bits, exponent_bits, mantissa_bits);
    if (std::isnan(here)) continue;
    const auto value = static_cast<float>(here);
    values.push_back(value);
    const double next = value_of(bits + 1U, exponent_bits, mantissa_bits);
    if (std::isnan(next) || std::isinf(next) || std::isinf(here)) continue;
    const auto middle = static_cast<float>((here + next) / 2);
    values.push_back(middle);
    values.push_back(std::nextafter(middle, 0.0F));
    values.push_back(std::nextafter(middle, 1e38F));
  }
  for (const float big : {65519.0F, 65520.0F, 65536.0F, 3.4e38F, -65520.0F, 1e-10F, -1e-40F}) {
    values.push_back(big);
  }
  return values;
}

/// The pattern nearest to the magnitude, by search among non-negative patterns; ties to even.
std::uint32_t nearest(double magnitude, int exponent_bits, int mantissa_bits) {
  const std::uint32_t infinite = ((1U << exponent_bits) - 1U) << mantissa_bits;
  std::uint32_t low = 0;
  std::uint32_t high = infinite;
  while (high - low > 1) {
    const std::uint32_t middle = (low + high) / 2;
    (value_of(middle, exponent_bits, mantissa_bits) <= magnitude ? low : high) = middle;
  }
  const double below = value_of(low, exponent_bits, mantissa_bits);
  // Infinity counts as the next value that the format would have.
  const double above = high == infinite
                           ? below + (below - value_of(low - 1U, exponent_bits, mantissa_bits))
                           : value_of(high, exponent_bits, mantissa_bits);
  if (magnitude - below < above - magnitude) return low;
  if (magnitude - below > above - magnitude) return high;
  return low % 2 == 0 ? low : high;
}

using Widen = void (*)(const uint16_t*, float*, int64_t);
using Narrow = void (*)(const float*, uint16_t*, int64_t);

void check_widening(Widen widen, int exponent_bits, int mantissa_bits) {
  std::vector<std::uint16_t> in(0x10000);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint16_t>(i);
  std::vector<float> out(in.size());
  widen(in.data(), out.data(), 0x10000);
  for (std::uint32_t i = 0; i < 0x10000U; ++i) {
    const double expected = value_of(i, exponent_bits, mantissa_bits);
    if (std::isnan(expected)) {
      REQUIRE(std::isnan(out[i]));
      REQUIRE(std::signbit(out[i]) == (i >= 0x8000U));
    } else {
      REQUIRE(std::bit_cast<std::uint32_t>(out[i]) ==
              std::bit_cast<std::uint32_t>(static_cast<float>(expected)));
    }
  }
}

void check_narrowing(Narrow narrow, int exponent_bits, int mantissa_bits) {
  const std::vector<float> in = hard_floats(exponent_bits, mantissa_bits);
  std::vector<std::uint16_t> out(in.size());
  narrow(in.data(), out.data(), static_cast<std::int64_t>(in.size()));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::uint32_t sign = std::signbit(in[i]) ? 0x8000U : 0U;
    const std::uint32_t expected =
        std::isinf(in[i]) ? sign | ((1U << exponent_bits) - 1U) << mantissa_bits
                          : sign | nearest(std::fabs(double{in[i]}), exponent_bits, mantissa_bits);
    if (out[i] != expected) {
      UNSCOPED_INFO(in[i] << " gave " << out[i] << ", expected " << expected);
      ++wrong;
    }
  }
  REQUIRE(wrong == 0);
}

TEST_CASE("float16 and bfloat16 widen exactly", "[half]") {
  for (const Isa isa : test::isas_here()) {
    CAPTURE(isa_name(isa));
    check_widening(fp16_functions(isa).float16_to_float, 5, 10);
    check_widening(fp16_functions(isa).bfloat16_to_float, 8, 7);
  }
}

TEST_CASE("float32 narrows to the nearest float16 and bfloat16, ties to even", "[half]") {
  for (const Isa isa : test::isas_here()) {
    CAPTURE(isa_name(isa));
    check_narrowing(fp16_functions(isa).float_to_float16, 5, 10);
    check_narrowing(fp16_functions(isa).float_to_bfloat16, 8, 7);
  }
}

TEST_CASE("Narrowing keeps NaN, its sign and leading payload", "[half]") {
  const float nans[] = {std::bit_cast<float>(0x7FC00000U), std::bit_cast<float>(0xFFC00000U),
                        std::bit_cast<float>(0x7F800001U), std::bit_cast<float>(0x7FFFE000U)};
  const std::uint16_t float16[] = {0x7E00, 0xFE00, 0x7E00, 0x7FFF};
  const std::uint16_t bfloat16[] = {0x7FC0, 0xFFC0, 0x7FC0, 0x7FFF};
  for (const Isa isa : test::isas_here()) {
    CAPTURE(isa_name(isa));
    std::uint16_t out[4];
    fp16_functions(isa).float_to_float16(nans, out, 4);
    for (int i = 0; i < 4; ++i) REQUIRE(out[i] == float16[i]);
    fp16_functions(isa).float_to_bfloat16(nans, out, 4);
    for (int i = 0; i < 4; ++i) REQUIRE(out[i] == bfloat16[i]);
  }
}

TEST_CASE("Conversions of any count write that many and no more", "[half]") {
  for (const Isa isa : test::isas_here()) {
    const Fp16Functions& functions = fp16_functions(isa);
    for (std::int64_t count = 0; count < 40; ++count) {
      CAPTURE(isa_name(isa), count);
      const std::vector<float> floats(static_cast<std::size_t>(count), 1.5F);
      std::vector<std::uint16_t> halves(static_cast<std::size_t>(count) + 1, 7);
      const auto end = static_cast<std::size_t>(count);
      functions.float_to_float16(floats.data(), halves.data(), count);
      for (std::size_t i = 0; i < end; ++i) REQUIRE(halves[i] == 0x3E00);
      REQUIRE(halves[end] == 7);
      functions.float_to_bfloat16(floats.data(), halves.data(), count);
      for (std::size_t i = 0; i < end; ++i) REQUIRE(halves[i] == 0x3FC0);
      REQUIRE(halves[end] == 7);
      std::vector<float> back(end + 1, 9.0F);
      functions.bfloat16_to_float(halves.data(), back.data(), count);
      for (std::size_t i = 0; i < end; ++i) REQUIRE(back[i] == 1.5F);
      REQUIRE(back[end] == 9.0F);
    }
  }
}

}  // namespace
}  // namespace ortool::cpu
