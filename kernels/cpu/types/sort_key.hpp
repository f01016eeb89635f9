// Sort keys: unsigned integers in the order of the elements they represent.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/cpu/types/convert_element.hpp"

namespace ortool::cpu {

template <typename T>
using OrderKey = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// Order-preserving; equal for equal elements: -0 equals 0, and all NaNs are equal and largest.
template <typename T>
OrderKey<T> sort_key(T value) {
  using Key = OrderKey<T>;
  constexpr Key top = Key{1} << (sizeof(Key) * 8 - 1);
  if constexpr (is_fp16<T>) {
    return sort_key(to_float(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return std::numeric_limits<Key>::max();
    const Key bits = std::bit_cast<Key>(value + T{0});  // -0 becomes 0
    return (bits & top) != 0 ? ~bits : bits | top;
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<Key>(static_cast<Key>(value) ^ top);
  } else {
    return static_cast<Key>(value);
  }
}

}  // namespace ortool::cpu
