// Elements of two, four and six bits, one behind the other from the low bits of a byte up.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ortool {

/// Where an element of `bits` (2, 4 or 6) begins: a byte and a bit of it. One of six bits may reach
/// into the next byte.
struct PackedPlace {
  std::int64_t byte;
  unsigned shift;
  bool reaches_on;
};

inline PackedPlace packed_place(std::int64_t index, int bits) {
  // Four elements fill `bits` / 2 bytes: counting from there, nothing overflows.
  const std::int64_t bit = index % 4 * bits;
  return {index / 4 * (bits / 2) + bit / 8, static_cast<unsigned>(bit % 8), bit % 8 + bits > 8};
}

/// The bits of element `index` where each takes `bits` (2, 4 or 6).
inline std::uint8_t get_packed(const std::byte* data, std::int64_t index, int bits) {
  const PackedPlace place = packed_place(index, bits);
  auto word = static_cast<unsigned>(data[place.byte]);
  if (place.reaches_on) word |= static_cast<unsigned>(data[place.byte + 1]) << 8U;
  return static_cast<std::uint8_t>(word >> place.shift &
                                   ((1U << static_cast<unsigned>(bits)) - 1U));
}

/// Sets element `index` to the low `bits` of `value`; its neighbours in the byte stay.
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

/// The low `bits` (2 or 4) read as two's complement.
inline std::int8_t sign_extend(std::uint8_t value, int bits) {
  const int sign = 1 << (bits - 1);
  return static_cast<std::int8_t>((value ^ sign) - sign);
}

}  // namespace ortool
