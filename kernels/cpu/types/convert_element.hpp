// Element conversion between any two types, as Cast defines it.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/cpu/types/fp16_bits.hpp"

namespace ortool::cpu {

template <typename T>
constexpr bool is_fp16 = std::is_same_v<T, Float16Bits> || std::is_same_v<T, BFloat16Bits>;

/// Floating-point to integer truncates toward zero and saturates, and NaN gives 0; integer to
/// integer wraps; to bool, anything but 0 (NaN too) is true; to a floating-point type rounds ties
/// to even, also through float64 (a 16-bit float is rounded once).
template <typename To, typename From>
inline To convert_number(From value) {
  if constexpr (is_fp16<From>) {
    return convert_number<To>(to_float(value));
  } else if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (is_fp16<To>) {
    To out;
    if constexpr (std::is_same_v<From, float>) {
      from_float(value, out);
    } else {
      // Rounding to odd in between prevents a double-rounding error.
      const double exact = static_cast<double>(value);
      float near = static_cast<float>(exact);
      const bool is_inexact = static_cast<double>(near) != exact && std::isfinite(near);
      if (is_inexact && (std::bit_cast<std::uint32_t>(near) & 1U) == 0U) {
        const bool is_beyond = std::abs(static_cast<double>(near)) > std::abs(exact);
        const std::uint32_t bits = std::bit_cast<std::uint32_t>(near);
        near = std::bit_cast<float>(is_beyond ? bits - 1U : bits + 1U);
      }
      from_float(near, out);
    }
    return out;
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From{0};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    // The bounds are powers of two, exact in either type.
    constexpr From low = static_cast<From>(std::numeric_limits<To>::min());
    constexpr From above = static_cast<From>(std::numeric_limits<To>::max() / 2 + 1) * From{2};
    if (!(value == value)) return 0;
    if (value <= low) return std::numeric_limits<To>::min();
    if (value >= above) return std::numeric_limits<To>::max();
    return static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace ortool::cpu
