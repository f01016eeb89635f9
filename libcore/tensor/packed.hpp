// Elements of two and four bits: the first of a byte lies in its low bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ortool {

/// The bits of element `index` where each takes `bits` (2 or 4).
inline std::uint8_t get_packed(const std::byte* data, std::int64_t index, int bits) {
  const std::int64_t per_byte = 8 / bits;
  const auto shift = static_cast<unsigned>(index % per_byte * bits);
  return static_cast<std::uint8_t>(static_cast<unsigned>(data[index / per_byte]) >> shift &
                                   ((1U << static_cast<unsigned>(bits)) - 1U));
}

/// Sets element `index` to the low `bits` of `value`; its neighbours in the byte stay.
inline void set_packed(std::byte* data, std::int64_t index, int bits, std::uint8_t value) {
  const std::int64_t per_byte = 8 / bits;
  const auto shift = static_cast<unsigned>(index % per_byte * bits);
  const unsigned mask = ((1U << static_cast<unsigned>(bits)) - 1U) << shift;
  const unsigned rest = static_cast<unsigned>(data[index / per_byte]) & ~mask;
  data[index / per_byte] =
      static_cast<std::byte>(rest | ((static_cast<unsigned>(value) << shift) & mask));
}

/// The low `bits` (2 or 4) read as two's complement.
inline std::int8_t sign_extend(std::uint8_t value, int bits) {
  const int sign = 1 << (bits - 1);
  return static_cast<std::int8_t>((value ^ sign) - sign);
}

}  // namespace ortool
