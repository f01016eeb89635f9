// Packed elements of two, four and six bits, stored from the low bits of each byte upward.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ortool {

/// The byte and bit offset at which an element of `bits` (2, 4 or 6) starts. A six-bit element may
/// extend into the next byte.
struct PackedPlace {
  std::int64_t byte;
  unsigned shift;
  bool reaches_on;
};

inline PackedPlace packed_place(std::int64_t index, int bits) {
  // Four elements occupy `bits` / 2 bytes; computing from there avoids overflow.
  const std::int64_t bit = index % 4 * bits;
  return {index / 4 * (bits / 2) + bit / 8, static_cast<unsigned>(bit % 8), bit % 8 + bits > 8};
}

/// The bits of element `index`, with `bits` (2, 4 or 6) for each element.
inline std::uint8_t get_packed(const std::byte* data, std::int64_t index, int bits) {
  const PackedPlace place = packed_place(index, bits);
  auto word = static_cast<unsigned>(data[place.byte]);
  if (place.reaches_on) word |= static_cast<unsigned>(data[place.byte + 1]) << 8U;
  return static_cast<std::uint8_t>(word >> place.shift &
                                   ((1U << static_cast<unsigned>(bits)) - 1U));
}

/// Sets element `index` to the low `bits` of `value`; other elements in the byte are unchanged.
inline void set_packed(std::byte* data, std::int64_t index, int bits, std::uint8_t value) {
  const PackedPlace place = packed_place(index, bits);
  const unsigned mask = ((1U << static_cast<unsigned>(bits)) - 1U) << place.shift;
  const unsigned wanted = static_cast<unsigned>(value) << place.shift & mask;
  data[place.byte] =
      static_cast<std::byte>((static_cast<unsigned>(data[place.byte]) & ~mask) | wanted);
  if (!place.reaches_on) return;
  std::byte& next = data[place.byte + 1];
  next = static_cast<std::byte>((static_cast<unsigned>(next) & ~(mask >> 8U)) | wanted >> 8U);
}

/// The low `bits` (2 or 4) as a two's complement number.
inline std::int8_t sign_extend(std::uint8_t value, int bits) {
  const int sign = 1 << (bits - 1);
  return static_cast<std::int8_t>((value ^ sign) - sign);
}

}  // namespace ortool
