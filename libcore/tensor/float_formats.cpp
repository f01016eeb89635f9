// Decoding and encoding of floating-point formats, driven by a table of their bit fields.
#include "libcore/tensor/float_formats.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "libcore/base/error.hpp"

namespace ortool {
namespace {

/// How a format encodes infinity and NaN.
enum class Specials {
  ieee,        ///< the highest exponent encodes infinity and NaN
  top_only,    ///< no infinity; all bits one is NaN
  minus_zero,  ///< no infinity, no -0; its bits are the only NaN
  none,        ///< finite numbers only
};

struct Format {
  DataType type;
  int exponent_bits;
  int fraction_bits;
  int bias;
  Specials specials;
  std::uint32_t largest;  ///< bits of the largest finite value
};

constexpr std::array<Format, 10> formats = {{
    {DataType::float32, 8, 23, 127, Specials::ieee, 0x7f7fffff},
    {DataType::float16, 5, 10, 15, Specials::ieee, 0x7bff},
    {DataType::bfloat16, 8, 7, 127, Specials::ieee, 0x7f7f},
    {DataType::float8e4m3fn, 4, 3, 7, Specials::top_only, 0x7e},
    {DataType::float8e4m3fnuz, 4, 3, 8, Specials::minus_zero, 0x7f},
    {DataType::float8e5m2, 5, 2, 15, Specials::ieee, 0x7b},
    {DataType::float8e5m2fnuz, 5, 2, 16, Specials::minus_zero, 0x7f},
    {DataType::float4e2m1, 2, 1, 1, Specials::none, 0x7},
    {DataType::float6e2m3, 2, 3, 1, Specials::none, 0x1f},
    {DataType::float6e3m2, 3, 2, 3, Specials::none, 0x1f},
}};

const Format& format_of(DataType type) {
  for (const Format& format : formats) {
    if (format.type == type) return format;
  }
  ORTOOL_CHECK(is_floating_point(type));
  return formats[0];
}

constexpr int double_fraction_bits = 52;
constexpr std::uint64_t double_fraction = (std::uint64_t{1} << double_fraction_bits) - 1;
constexpr int double_bias = 1023;
constexpr std::uint64_t power_nan = 0xff;
constexpr int power_bias = 127;

double quiet_nan(bool is_negative, std::uint64_t payload) {
  constexpr std::uint64_t quiet = std::uint64_t{0x7ff8} << 48;
  return std::bit_cast<double>(std::uint64_t{is_negative} << 63 | quiet | payload);
}

std::uint64_t encode_power(double value, const FloatCast& cast) {
  if (std::isnan(value) || value < 0) return power_nan;
  if (value == 0) return cast.saturate ? 0 : power_nan;
  if (std::isinf(value)) return cast.saturate ? power_nan - 1 : power_nan;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent) * 2;  // in [1, 2)
  --exponent;
  switch (cast.power_rounding) {
    case PowerRounding::up:
      exponent += fraction > 1 ? 1 : 0;
      break;
    case PowerRounding::nearest:
      exponent += fraction >= 1.5 ? 1 : 0;
      break;
    case PowerRounding::down:
      break;
  }
  const int power = exponent + power_bias;
  if (power < 0) return cast.saturate ? 0 : power_nan;
  if (power >= static_cast<int>(power_nan)) return cast.saturate ? power_nan - 1 : power_nan;
  return static_cast<std::uint64_t>(power);
}

std::uint64_t encode_too_large(const Format& format, std::uint64_t sign, const FloatCast& cast) {
  const bool is_float8 = element_bits(format.type) == 8;
  if (format.specials == Specials::none || (is_float8 && cast.saturate))
    return sign | format.largest;
  if (format.specials == Specials::ieee) return sign | (format.largest + 1);
  if (format.specials == Specials::top_only) return sign | 0x7f;
  return 0x80;
}

std::uint64_t encode_nan(const Format& format, std::uint64_t sign, std::uint64_t double_bits) {
  switch (format.specials) {
    case Specials::ieee: {
      const std::uint64_t infinity_bits = format.largest + 1;
      const std::uint64_t quiet = std::uint64_t{1} << (format.fraction_bits - 1);
      const std::uint64_t payload =
          (double_bits & double_fraction) >> (double_fraction_bits - format.fraction_bits);
      return sign | infinity_bits | quiet | payload;
    }
    case Specials::top_only:
      return sign | 0x7f;
    case Specials::minus_zero:
      return 0x80;
    default:
      return format.largest + 1;
  }
}

}  // namespace

double decode_float(DataType type, std::uint64_t bits) {
  if (type == DataType::float64) return std::bit_cast<double>(bits);
  if (type == DataType::float32)
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  if (type == DataType::float8e8m0) {
    return bits == power_nan ? std::numeric_limits<double>::quiet_NaN()
                             : std::ldexp(1.0, static_cast<int>(bits) - power_bias);
  }
  const Format& format = format_of(type);
  const int sign_position = format.exponent_bits + format.fraction_bits;
  const bool is_negative = (bits >> sign_position & 1) != 0;
  const std::uint64_t magnitude = bits & ((std::uint64_t{1} << sign_position) - 1);
  const std::uint64_t hidden = std::uint64_t{1} << format.fraction_bits;
  const std::uint64_t fraction = magnitude & (hidden - 1);
  if (magnitude > format.largest) {
    if (format.specials == Specials::ieee && fraction == 0) {
      const double infinity = std::numeric_limits<double>::infinity();
      return is_negative ? -infinity : infinity;
    }
    return quiet_nan(is_negative, format.specials == Specials::ieee
                                      ? fraction << (double_fraction_bits - format.fraction_bits)
                                      : 0);
  }
  if (format.specials == Specials::minus_zero && is_negative && magnitude == 0)
    return std::numeric_limits<double>::quiet_NaN();
  const int exponent = static_cast<int>(magnitude >> format.fraction_bits);
  double value = 0;
  if (exponent == 0) {
    value = std::ldexp(static_cast<double>(fraction), 1 - format.bias - format.fraction_bits);
  } else {
    value = std::bit_cast<double>(static_cast<std::uint64_t>(exponent - format.bias + double_bias)
                                      << double_fraction_bits |
                                  fraction << (double_fraction_bits - format.fraction_bits));
  }
  return is_negative ? -value : value;
}

std::uint64_t encode_float(DataType type, double value, FloatCast cast) {
  if (type == DataType::float64) return std::bit_cast<std::uint64_t>(value);
  if (type == DataType::float8e8m0) return encode_power(value, cast);
  const Format& format = format_of(type);
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t sign = (bits >> 63) << (format.exponent_bits + format.fraction_bits);
  if (std::isnan(value)) return encode_nan(format, sign, bits);
  if (std::isinf(value)) return encode_too_large(format, sign, cast);

  // The significand loses the bits that the format lacks, and more of them below the format's
  // minimum exponent. Combined with the exponent above it, the rest enumerates all magnitudes in
  // order.
  const int exponent =
      static_cast<int>(bits >> double_fraction_bits & 0x7ff) - double_bias + format.bias;
  const int clamped = exponent < 1 ? 1 : exponent;
  const int shift = double_fraction_bits - format.fraction_bits + (clamped - exponent);
  std::uint64_t magnitude = 0;
  if (shift <= double_fraction_bits + 1) {
    const std::uint64_t significand = (bits & double_fraction) | std::uint64_t{1}
                                                                     << double_fraction_bits;
    const std::uint64_t half = std::uint64_t{1} << (shift - 1);
    const std::uint64_t rest = significand & ((half << 1) - 1);
    std::uint64_t kept = significand >> shift;
    if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
    magnitude = (static_cast<std::uint64_t>(clamped - 1) << format.fraction_bits) + kept;
  }
  if (magnitude > format.largest) return encode_too_large(format, sign, cast);
  if (magnitude == 0 && format.specials == Specials::minus_zero) return 0;
  return sign | magnitude;
}

double largest_float(DataType type) {
  if (type == DataType::float64) return std::numeric_limits<double>::max();
  if (type == DataType::float8e8m0) return 0x1p127;
  return decode_float(type, format_of(type).largest);
}

}  // namespace ortool
